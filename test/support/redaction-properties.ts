import { expect } from "bun:test";
import * as fc from "fast-check";
import { Secret } from "../../src/base/brand.ts";
import type { Redactor } from "../../src/safety/redact.ts";
import { redactor } from "../../src/safety/redact.ts";
import { fingerprintSecrets } from "../../src/safety/secrets/known-secret.ts";
import { secretPositives } from "./secret-samples.ts";

/** Makes a redactor that has the prints of these secrets. */
export function knowing(...secrets: readonly Secret[]): Redactor {
  return redactor(fingerprintSecrets(secrets, new Uint8Array(16)));
}

/** A redactor with two known keys: one of odd signs, one of two lines. */
export const KNOWING = knowing(
  new Secret("ZAI_API_KEY", "0123abcd.p/q+r=s!"),
  new Secret("odd kind»", "the-first-line-of-it\nthe-second-line-of-it"),
);

const piece = fc.oneof(
  fc.constantFrom(
    ...secretPositives()
      .slice(0, 60)
      .map(({ text }) => text),
  ),
  fc.constantFrom(
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "-----",
    "Bearer ",
    "eyJ",
    "sk-",
    "sk-ant-",
    ".",
    "-",
  ),
  fc.constantFrom(
    "0123abcd.p/q+r=s!",
    "0123abcd",
    "ghp_",
    "xoxb-",
    "AKIA",
    "«redacted:jwt»",
    "\\n",
    "\n",
    " ",
    "👩‍👩‍👧",
    "\ud83d",
    "=",
    ": ",
    '"',
    "'",
    ' = "',
    "password",
    "api_key",
    "Authorization:",
    "://a:",
    "@h",
    " -u ",
    "data:\n  ",
    "kind: Secret\n",
    ' name: "DB_TOKEN", value',
    "q8Zr-41kLm_Pw0",
    "Q~",
    "|",
  ),
  fc.constantFrom(
    "--token ",
    "password '",
    "<a_token>",
    "</a_token>",
    "ENV A_TOKEN ",
    "login a password ",
    " -u a -p ",
    "mysql -u a -p",
    "Cookie: a=",
    ":5432:a:b:",
    "_",
    " ab_",
    "aB3dE6gH9jK2mN5pQ8sT1vW4",
    "Authorization: Api-Token ",
    ".js",
    "hvs.",
    "oauth:",
    ".pypi-AgEIcHlwaS5vcmc",
    "postgres://app:",
    "https://user:",
    "@example.com",
    "...",
    "?sig=",
    "&",
  ),
  fc.stringMatching(/^[A-Za-z0-9]{1,40}$/),
);
/** Texts made of pieces that begin, continue and end secrets. */
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

/** Holds when a stream, cut anywhere, gives the redacted whole text, and no piece of it splits a character. */
export function piecesGiveTheWhole(): fc.IProperty<unknown> {
  const cuts = fc.array(fc.nat(400), { maxLength: 8 });
  return fc.property(fc.record({ whole: text, cuts }), ({ whole, cuts }) => {
    const at = [...new Set(cuts.filter((cut) => cut < whole.length))].sort((a, b) => a - b);
    const chunks = [0, ...at].map((from, index) => whole.slice(from, at[index] ?? whole.length));
    const stream = KNOWING.stream();
    const out = chunks.map((chunk) => stream.push(chunk));
    if (whole.isWellFormed()) expect(out.every((part) => part.isWellFormed())).toBe(true);
    expect(out.join("") + stream.end()).toBe(KNOWING.text(whole));
  });
}

/** Holds when redacting a redacted text changes nothing. */
export function twiceIsOnce(): fc.IProperty<unknown> {
  return fc.property(fc.record({ whole: text }), ({ whole }) => {
    const once = KNOWING.text(whole);
    expect(KNOWING.text(once)).toBe(once);
  });
}
