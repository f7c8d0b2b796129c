import { createPrivateKey, createSign } from "node:crypto";
import { defined } from "../../base/defined.ts";

/** The longest that Google accepts. */
const ASSERTION_SECONDS = 3_600;

export interface AssertionClaims {
  readonly email: string;
  readonly keyId?: string;
  readonly audience: string;
  readonly scope: string;
  /** Seconds since 1970, by Google's clock. */
  readonly nowSeconds: number;
}

/**
 * Returns a service account's assertion: a JWT signed with its key (RS256), which a token endpoint exchanges for an
 * access token.
 * @throws any runtime error for an invalid key; its message may reveal the key, so it is not for people.
 */
export function serviceAccountAssertion(privateKey: string, claims: AssertionClaims): string {
  const { email, keyId, audience, scope, nowSeconds } = claims;
  const header = { alg: "RS256", typ: "JWT", ...defined({ kid: keyId }) };
  const body = { iss: email, scope, aud: audience, iat: nowSeconds, exp: nowSeconds + ASSERTION_SECONDS };
  const signed = [header, body]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = createSign("RSA-SHA256").update(signed).sign(createPrivateKey(privateKey));
  return `${signed}.${signature.toString("base64url")}`;
}
