import type { AttachRequest } from "../../session/access/attach-request.ts";
import { EVERYTHING } from "../../session/access/scope.ts";

/** Tokens for the clients of one process. */
export interface EngineTokens {
  /** One that counts now, for a client that may do no more than it is asked for. */
  tokenFor(request: Pick<AttachRequest, "identityClass" | "scope">): Promise<string>;
}

/** An owner's token counts for an hour: a new one is asked for before that. */
const USED_MS_MAX = 45 * 60_000;

/**
 * Tokens that the owner's engine gives to the owner (AUTH-11): another one for each class and scope, and a new one in time.
 * @param ask the exchange of the owner token, with claims in the words of `readClaimsRequest`.
 */
export function ownerTokens(
  ask: (claims: Readonly<Record<string, unknown>>) => Promise<string>,
  monotonic: () => number,
): EngineTokens {
  const kept = new Map<string, { readonly token: Promise<string>; readonly sinceMs: number }>();
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
      const known = kept.get(name);
      if (known !== undefined && monotonic() - known.sinceMs < USED_MS_MAX) return await known.token;
      const made = { token: ask(claims), sinceMs: monotonic() };
      kept.set(name, made);
      try {
        return await made.token;
      } catch (thrown) {
        if (kept.get(name) === made) kept.delete(name);
        throw thrown;
      }
    },
  };
}

/** The one token that was given to this process: it says itself what it allows. */
export function givenToken(token: string): EngineTokens {
  return { tokenFor: () => Promise.resolve(token) };
}
