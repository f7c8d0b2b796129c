import type { AttachRequest } from "../../session/access/attach-request.ts";
import { EVERYTHING } from "../../session/access/scope.ts";

/** Tokens for the clients of one process. */
export interface EngineTokens {
  /** Returns a valid token for a client with these rights and no more. */
  tokenFor(request: Pick<AttachRequest, "identityClass" | "scope">): Promise<string>;
}

/** An owner's token is valid for an hour: a new one is requested before that. */
const USED_MS_MAX = 45 * 60_000;

/**
 * Returns tokens that the owner's engine gives to the owner (AUTH-11): one for each class and scope, renewed in time.
 * @param ask the exchange of the owner token, with claims in the form of `readClaimsRequest`.
 */
export function ownerTokens(
  ask: (claims: Readonly<Record<string, unknown>>) => Promise<string>,
  monotonic: () => number,
): EngineTokens {
  const tokens = new Map<string, { readonly token: Promise<string>; readonly sinceMs: number }>();
  return {
    async tokenFor({ identityClass, scope = EVERYTHING }) {
      const { sessions, commands } = scope;
      const claims = {
        identity_class: identityClass,
        wire: "unix",
        expires_in: 3_600,
        ...(sessions === "all" ? {} : { sessions }),
        ...(commands === "all" ? {} : { commands }),
      };
      const name = JSON.stringify(claims);
      const known = tokens.get(name);
      if (known !== undefined && monotonic() - known.sinceMs < USED_MS_MAX) return await known.token;
      const made = { token: ask(claims), sinceMs: monotonic() };
      tokens.set(name, made);
      try {
        return await made.token;
      } catch (thrown) {
        if (tokens.get(name) === made) tokens.delete(name);
        throw thrown;
      }
    },
  };
}

/** Returns the one token that this process was given, with its rights. */
export function givenToken(token: string): EngineTokens {
  return { tokenFor: () => Promise.resolve(token) };
}
