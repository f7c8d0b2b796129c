import { HarnessError } from "../../base/errors.ts";
import { isObject } from "../../base/json.ts";
import type { ClaimsRequest } from "../authority.ts";
import { readIdentity, readLimits, SESSIONS_MAX } from "./claims.ts";

export const LIFETIME_MS_DEFAULT = 24 * 60 * 60_000;
export const LIFETIME_MS_MIN = 1_000;
/** Longer than any pre-provisioned token lives; a revocation is kept for so long. */
export const LIFETIME_MS_MAX = 366 * 24 * 60 * 60_000;

/**
 * Reads what somebody asks for in a new token: `{identity_class, sessions?, commands?, expires_in?, can_mint?, wire?}`,
 * with `expires_in` in seconds; a wire is the only one that the token counts on. What it does not know is passed over: it
 * can only be a limit that is not kept if the asker takes the answer for more than it says, and the answer says what it is.
 * @throws HarnessError ClaimsInvalid, naming the claim.
 */
export function readClaimsRequest(value: unknown): ClaimsRequest {
  if (!isObject(value)) throw invalid("the claims are no JSON object");
  const identity = readIdentity(value["identity_class"]);
  if (identity.kind === "wrong") throw invalid(identity.problem);
  const limits = readLimits(value);
  if (limits.kind === "wrong") throw invalid(limits.problem);
  const seconds = value["expires_in"];
  if (seconds !== undefined && typeof seconds !== "number")
    throw invalid("expires_in is no number of seconds");
  const canMint = value["can_mint"];
  if (canMint !== undefined && typeof canMint !== "boolean")
    throw invalid("can_mint is neither true nor false");
  return checkedRequest({
    identityClass: identity.value,
    ...limits.value,
    ...(seconds === undefined ? {} : { lifetimeMs: seconds * 1_000 }),
    ...(canMint === undefined ? {} : { canMint }),
  });
}

/**
 * A request whose lifetime and lists are within their limits.
 * @throws HarnessError ClaimsInvalid.
 */
export function checkedRequest(claims: ClaimsRequest): ClaimsRequest {
  const { lifetimeMs = LIFETIME_MS_DEFAULT, sessions = [] } = claims;
  if (!(lifetimeMs >= LIFETIME_MS_MIN && lifetimeMs <= LIFETIME_MS_MAX)) {
    throw invalid(`a token lives for 1 second to 366 days, not for ${lifetimeMs / 1_000} seconds`);
  }
  if (sessions.length > SESSIONS_MAX) throw invalid(`a token names at most ${SESSIONS_MAX} sessions`);
  return claims;
}

function invalid(problem: string): HarnessError<"ClaimsInvalid"> {
  return new HarnessError("ClaimsInvalid", { problem });
}
