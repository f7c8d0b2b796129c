import { isObject, parseJson, stringAt } from "../base/json.ts";
import type { HttpAccess } from "./http-access.ts";
import { Skipped } from "./mismatch.ts";
import { answerOf, askRest } from "./transports/rest-transport.ts";

/** Claims of a new token, as `POST /v1/auth/token` reads them. */
export interface AskedClaims {
  readonly identity_class: "human" | "agent";
  readonly sessions?: readonly string[];
  readonly commands?: readonly string[];
  /** Lifetime in seconds. */
  readonly expires_in?: number;
  readonly can_mint?: boolean;
}

/** Tokens that scenarios use. */
export interface SuiteTokens {
  /** The given token: a human's, with all rights, that may mint. */
  readonly main: string;
  /** Mints a token. @throws Skipped if the server requires a person for that. */
  mint(claims: AskedClaims, signal: AbortSignal): Promise<string>;
}

/** Returns tokens minted over HTTP with the given one. */
export function mintedTokens(http: HttpAccess, main: string): SuiteTokens {
  return {
    main,
    async mint(claims, signal) {
      const answer = await askRest(http, "/v1/auth/token", { token: main, json: { claims }, signal });
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
 * Mints a separate token for this run, because a server limits the clients of a token and others may use the given one.
 *
 * Returns the given token if none can be minted.
 */
export async function mintOwnToken(
  http: HttpAccess,
  parentToken: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await mintedTokens(http, parentToken).mint({ identity_class: "human", can_mint: true }, signal);
  } catch (thrown) {
    if (thrown instanceof Skipped) return parentToken;
    throw thrown;
  }
}

/** Reads one claim of a token without checking its signature. */
export function claimOf(token: string, name: string): unknown {
  const [payload = ""] = token.split(".");
  const text = base64UrlText(payload);
  const claims = text === undefined ? undefined : parseJson(text)?.value;
  return isObject(claims) ? claims[name] : undefined;
}

/** Returns the token with changed claims and its old signature. */
export function forgeToken(token: string, change: Readonly<Record<string, unknown>>): string {
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
    return undefined; // not base64, so it has no claims
  }
}
