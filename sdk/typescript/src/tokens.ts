import type { Engine } from "./engine.ts";
import { invalidAnswer } from "./errors.ts";
import type { CommandKind } from "./protocol.ts";
import type { SignalOption } from "./session.ts";

/** Rights of a new token. */
export interface TokenClaims {
  /** "agent" can approve nothing, whatever else it may. */
  readonly identityClass: "human" | "agent";
  /** The only sessions that it is for; absent: all. */
  readonly sessions?: readonly string[];
  /** The only commands that it may send; absent: all. */
  readonly commands?: readonly CommandKind[];
  readonly wire?: "unix" | "loopback" | "lan" | "stdio";
  /** Seconds; absent: 24 hours. */
  readonly expiresIn?: number;
  readonly canMint?: boolean;
}

/** A token, or the place where a person was shown the code that `confirm` takes, within a minute. */
export type Minted =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "code"; readonly mintId: string; readonly channel: string };

/** Making and revoking tokens; over the Unix socket and loopback alone, as the engine has it. */
export class Tokens {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async mint(claims: TokenClaims, { signal }: SignalOption = {}): Promise<Minted> {
    const { identityClass, expiresIn, canMint, ...rest } = claims;
    const body = {
      claims: { ...rest, identity_class: identityClass, expires_in: expiresIn, can_mint: canMint },
    };
    const answer = await this.#engine.ask("POST", "/v1/auth/token", { body, signal, command: "a new token" });
    const { token, mintId, channel } = Object(answer.body) as Record<string, unknown>;
    if (typeof token === "string") return { kind: "token", token };
    if (typeof mintId === "string" && typeof channel === "string") return { kind: "code", mintId, channel };
    throw invalidAnswer(this.#engine.url, "neither a token nor where its code is shown");
  }

  /** Sends the code back that a person has read. */
  async confirm(mintId: string, code: string, { signal }: SignalOption = {}): Promise<string> {
    const path = `/v1/auth/token/${encodeURIComponent(mintId)}`;
    const { body } = await this.#engine.ask("POST", path, { body: { code }, signal, command: "the code" });
    const { token } = Object(body) as Record<string, unknown>;
    if (typeof token !== "string") throw invalidAnswer(this.#engine.url, "no token");
    return token;
  }

  /** Revokes a token for good and cuts its streams. */
  async revoke(jti: string, { signal }: SignalOption = {}): Promise<void> {
    await this.#engine.ask("DELETE", `/v1/auth/tokens/${encodeURIComponent(jti)}`, {
      signal,
      command: "the revocation",
    });
  }
}
