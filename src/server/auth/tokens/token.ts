import { HarnessError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { sameSecret } from "../../../safety/private-file.ts";
import type { Claims } from "./claims.ts";
import { readClaims } from "./claims.ts";

/** Longer than any token of ours, and short enough for a header. */
export const CAPABILITY_TOKEN_CHARACTERS_MAX = 8_192;

const SHAPE = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

/**
 * Writes a token: `base64url(JSON claims) "." base64url(HMAC-SHA256)`, without padding. The signature covers the
 * characters before the dot as they are, so that nothing of a token is read before its origin is known.
 */
export function encodeToken(claims: Claims, key: Uint8Array): string {
  // `ver` and `jti` come first: every token begins with the same characters, by which redaction knows it.
  const { ver, jti, ...rest } = claims;
  const payload = Buffer.from(JSON.stringify({ ver, jti, ...rest })).toString("base64url");
  return `${payload}.${signature(payload, key)}`;
}

/**
 * Returns the claims of a token that was signed with this key. The comparison takes constant time (AUTH-10); there is
 * no choice of algorithm, and a text that is not exactly what `encodeToken` writes is rejected.
 * @throws HarnessError TokenInvalid: not ours, or with unknown claims.
 */
export function openToken(text: string, key: Uint8Array): Claims {
  const [, payload, receivedSignature] =
    text.length > CAPABILITY_TOKEN_CHARACTERS_MAX ? [] : (SHAPE.exec(text) ?? []);
  if (payload === undefined || receivedSignature === undefined) throw invalidToken("it is not a token");
  if (!sameSecret(receivedSignature, signature(payload, key)))
    throw invalidToken("it was not made by this installation");
  const parsed = parseJson(Buffer.from(payload, "base64url").toString());
  const claims = readClaims(parsed?.value);
  if (claims.kind === "wrong") throw invalidToken(claims.problem);
  return claims.value;
}

/**
 * Checks the times of claims.
 * @param nowMs milliseconds since 1970.
 * @throws HarnessError TokenInvalid before `nbf`, TokenExpired from `exp` on.
 */
export function checkTimes(claims: Claims, nowMs: number): void {
  if (nowMs < claims.nbf * 1_000)
    throw invalidToken(`it counts from ${tokenTimeText(claims.nbf * 1_000)} on`);
  if (nowMs < claims.exp * 1_000) return;
  throw new HarnessError("TokenExpired", {
    exp: tokenTimeText(claims.exp * 1_000),
    id: claims.sessions?.[0] ?? "ID",
    class: claims.identity_class,
  });
}

/** Renders a time for people and logs. */
export function tokenTimeText(ms: number): string {
  return new Date(ms).toISOString();
}

export function invalidToken(problem: string): HarnessError<"TokenInvalid"> {
  return new HarnessError("TokenInvalid", { problem });
}

function signature(payload: string, key: Uint8Array): string {
  return new Bun.CryptoHasher("sha256", key).update(payload).digest("base64url");
}
