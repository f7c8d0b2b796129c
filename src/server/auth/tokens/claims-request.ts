import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import { isObject, type JsonObject, textOfJson } from "../../../base/json.ts";
import type { ClaimsRequest } from "../../../session/access/authority.ts";
import { CRITICAL_CLAIMS, readIdentity, readLimits, showValue, TOKEN_SESSIONS_MAX } from "./claims.ts";

export const LIFETIME_MS_DEFAULT = 24 * 60 * 60_000;
export const LIFETIME_MS_MIN = 1_000;
/** Longest lifetime; longer than any pre-provisioned token lives. A revocation is kept this long. */
export const LIFETIME_MS_MAX = 366 * 24 * 60 * 60_000;

/**
 * Reads a request for a token: `{identity_class, sessions?, commands?, expires_in?, can_mint?, wire?}`, with
 * `expires_in` in seconds; `wire` is the only way in for which the token is valid. An unknown claim is ignored, unless
 * it would limit the token: another word for its lifetime, or one that the caller marks as critical.
 * @throws HarnessError ClaimsInvalid, naming the claim.
 */
export function readClaimsRequest(value: unknown): ClaimsRequest {
  if (!isObject(value)) throw invalid("the claims are no JSON object");
  refuseLostLimits(value);
  const identity = readIdentity(value["identity_class"]);
  if (identity.kind === "wrong") throw invalid(identity.problem);
  const limits = readLimits(value);
  if (limits.kind === "wrong") throw invalid(limits.problem);
  const seconds = value["expires_in"];
  if (seconds !== undefined && typeof seconds !== "number")
    throw invalid("expires_in is not a number of seconds");
  const canMint = value["can_mint"];
  if (canMint !== undefined && typeof canMint !== "boolean")
    throw invalid("can_mint is neither true nor false");
  return checkedRequest({
    identityClass: identity.value,
    ...limits.value,
    ...(seconds === undefined ? {} : { lifetimeMs: seconds * 1_000 }),
    ...defined({ canMint }),
  });
}

const KNOWN: ReadonlySet<string> = new Set([...CRITICAL_CLAIMS, "expires_in"]);
/** Words for a lifetime that callers use and that are not read. */
const LIFETIMES: readonly string[] = ["exp", "expires", "expires_at", "expiresIn", "lifetime", "nbf", "ttl"];

/**
 * A token that lives longer than its caller believes, or allows more, is worse than none. @throws
 * HarnessError ClaimsInvalid.
 */
function refuseLostLimits(value: JsonObject): void {
  const lifetime = LIFETIMES.find((name) => Object.hasOwn(value, name));
  if (lifetime !== undefined) throw invalid(`${lifetime} is not read: say expires_in, in seconds from now`);
  const critical = value["critical_claims"];
  if (critical === undefined) return;
  if (!Array.isArray(critical)) throw invalid("critical_claims is not a list");
  const unknown = critical.find((name) => !KNOWN.has(textOfJson(name)));
  if (unknown !== undefined) throw invalid(`the critical claim ${showValue(unknown)} is not known here`);
}

/**
 * Returns a request whose lifetime and lists are within their limits.
 * @throws HarnessError ClaimsInvalid.
 */
export function checkedRequest(claims: ClaimsRequest): ClaimsRequest {
  const { lifetimeMs = LIFETIME_MS_DEFAULT, sessions = [] } = claims;
  if (!(lifetimeMs >= LIFETIME_MS_MIN && lifetimeMs <= LIFETIME_MS_MAX)) {
    throw invalid(`a token lives for 1 second to 366 days, not for ${lifetimeMs / 1_000} seconds`);
  }
  if (sessions.length > TOKEN_SESSIONS_MAX)
    throw invalid(`a token names at most ${TOKEN_SESSIONS_MAX} sessions`);
  return claims;
}

function invalid(problem: string): HarnessError<"ClaimsInvalid"> {
  return new HarnessError("ClaimsInvalid", { problem });
}
