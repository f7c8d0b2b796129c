import { isObject, parseJson, stringAt } from "../base/json.ts";
import type { HttpDoor } from "./door.ts";
import { Skipped } from "./mismatch.ts";
import { answerOf, askRest } from "./wires/rest-wire.ts";

/** What a token is to allow, as `POST /v1/auth/token` reads it. */
export interface AskedClaims {
  readonly identity_class: "human" | "agent";
  readonly sessions?: readonly string[];
  readonly commands?: readonly string[];
  /** Seconds. */
  readonly expires_in?: number;
  readonly can_mint?: boolean;
}

/** The tokens that scenarios act with. */
export interface Tokens {
  /** The one that was given: a person's, for everything, that may mint. */
  readonly main: string;
  /** @throws Skipped where none can be had without a person. */
  mint(claims: AskedClaims, signal: AbortSignal): Promise<string>;
}

/** Mints over HTTP: what the given token may do at once. */
export function mintedTokens(door: HttpDoor, main: string): Tokens {
  return {
    main,
    async mint(claims, signal) {
      const answer = await askRest(door, "/v1/auth/token", { token: main, json: { claims }, signal });
      const isMade = answer.status === 201;
      const made = await answerOf(answer);
      const token = made.kind === "accepted" && isMade ? stringAt(made.body, "token") : undefined;
      if (token !== undefined) return token;
      const why = made.kind === "refused" ? `${made.reason}: ${made.message}` : "it asks a person for a code";
      throw new Skipped(`the given token mints none (${why}); make it with: cinch token --can-mint`);
    },
  };
}

/**
 * A token of this walk's own, made by the given one: a server keeps only so many clients of a token, and others may use that
 * one too. The given one where it makes none.
 */
export async function ownToken(door: HttpDoor, given: string, signal: AbortSignal): Promise<string> {
  try {
    return await mintedTokens(door, given).mint({ identity_class: "human", can_mint: true }, signal);
  } catch (thrown) {
    if (thrown instanceof Skipped) return given;
    throw thrown;
  }
}

/** A field of the claims that a token states about itself; nothing here checks its signature. */
export function claimOf(token: string, name: string): unknown {
  const [payload = ""] = token.split(".");
  const text = base64UrlText(payload);
  const claims = text === undefined ? undefined : parseJson(text)?.value;
  return isObject(claims) ? claims[name] : undefined;
}

/** The same token with one claim changed, under the old signature. */
export function forged(token: string, change: Readonly<Record<string, unknown>>): string {
  const [payload = "", signature = ""] = token.split(".");
  const claims = parseJson(base64UrlText(payload) ?? "{}")?.value;
  const text = JSON.stringify({ ...(isObject(claims) ? claims : {}), ...change });
  const bytes = new TextEncoder().encode(text);
  const base64 = btoa(String.fromCharCode(...bytes));
  return `${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}.${signature}`;
}

function base64UrlText(text: string): string | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(binary, (each) => each.charCodeAt(0)));
  } catch {
    return undefined; // no base64: it states nothing
  }
}
