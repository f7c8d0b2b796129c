import { expect, test } from "bun:test";
import { Secret } from "../../base/brand.ts";
import { redactor } from "../redact.ts";
import { fingerprintSecrets } from "./known-secret.ts";

// What the properties in `redact.test.ts` found once in some ten thousand runs, each made small.

const REDACTOR = redactor([]);
const BASE32 = "Q".repeat(58);
const SLACK = `xoxa-2-${"511111111"}-31111111111-3111111111111-${"e039d02840a0b9379c"}`;
const MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4";
const AZURE = `QtT8Q~${"5Y-_Nf~CokSSsL6Emt2yETZp.YE0elbeNk"}`;

/** A text, and a place where a stream is cut. Its pieces gave something else than the whole text. */
const CUT: readonly (readonly [cause: string, text: string, cut: number])[] = [
  [
    "near the beginning of what is left, a name is looked at no closer than elsewhere",
    'kind: Secret\ndata:\n  a: x\ntype: "Opaque"://a:aB3dE6gH9jK2mN5pQ8sT1vW4',
    0,
  ],
  [
    "only a colon goes on with base64",
    'kind: Secret\ntype: Opaque\ndata:\n\tusername: YWRtaW4=\n0123abcd -u 0a0a = "0Aa0aAA000a0',
    66,
  ],
  [
    "the same, before a tag",
    "kind: Secret\ndata:\n  a: x\ntype: Opaque://a:a0A0AAAAAA0a</a_token>-----BEGIN PRIVATE KEY-----",
    80,
  ],
  [
    "a block that was cut off goes on to the end of the text",
    `-----BEGIN PRIVATE KEY-----Cookie: a=-----BEGIN PRIVATE KEY-----AGE-SECRET-KEY-1${BASE32}`,
    117,
  ],
  ["a value is a scheme once something follows it", "Authorization:a0A0A00-----END PRIVATE KEY-----", 30],
  [
    "the same, with a longer one",
    `Authorization:aaaaaabaAA0SONAR_LOGIN := "${"12345678ABCDEFH1234567890ABCDEFH12345678"}"`,
    37,
  ],
  [
    "an ending of a file goes on as something else",
    `--token  ab_aA00AA000xoxb-00aA0aaa0a.jsAGE-SECRET-KEY-1${BASE32}`,
    39,
  ],
];

test("[SES-05 R06] the pieces of a stream give what the whole text gives, where they once did not", () => {
  for (const [cause, text, only] of CUT) {
    const whole = REDACTOR.text(text);
    for (const cut of new Set([only, ...Array(text.length).keys()])) {
      const stream = REDACTOR.stream();
      const out = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end();
      expect({ cause, cut, out }).toEqual({ cause, cut, out: whole });
    }
  }
});

test("[SES-05] redacting twice gives the same as once: a token instead of a user is redacted the first time", () => {
  const once = {
    [` -u ${SLACK}:5432:a:b:`]: " -u «redacted:slack-token»",
    [` -u ➝${SLACK}:5432:a:b:`]: " -u «redacted:password»",
    [`Bearer a0A000aaab1-----AGE-SECRET-KEY-1${BASE32}`]: "Bearer a0A000aaab1-----«redacted:age-key»",
    [` -u (${AZURE}):5432:a:b:`]: " -u (QtT8«redacted:azure-secret»):5432:a:b:",
    [`${SLACK}-sk-ant-AGE-SECRET-KEY-1${BASE32}`]: "«redacted:slack-token»",
    [`https://${SLACK}:hunter22@git.corp.net/x`]: "https://«redacted:slack-token»@git.corp.net/x",
  };
  for (const [text, out] of Object.entries(once)) {
    expect(REDACTOR.text(text)).toBe(out);
    expect(REDACTOR.text(out)).toBe(out);
  }
});

test("[SES-05] a mark of an issuer behind a dot is no file ending: the token before it is redacted at once", () => {
  const key = `sk-ant-${MIXED}${"Zx81Kq03"}`;
  const once = {
    [`sk-ant-${MIXED}.${key}`]: "sk-«redacted:token».«redacted:anthropic-key»",
    [`sk-ant-${MIXED}.hvs.${MIXED}`]: "sk-«redacted:token».«redacted:vault-token»",
    [`sk-ant-${MIXED}.pypi-AgENdGVzdC5weXBpLm9yZw${MIXED.repeat(3)}`]:
      "sk-«redacted:token».«redacted:pypi-token»",
    [`sk-ant-${MIXED}.oauth:${"q7w2e9r4t1y6u3i8o5p0a7s2d9f4g1"}`]:
      "sk-«redacted:token».«redacted:twitch-token»",
    [`app-${MIXED}.js`]: `app-${MIXED}.js`,
    [`app-${MIXED}.js:12:3`]: `app-${MIXED}.js:12:3`,
    [`app-${MIXED}.min.js`]: `app-${MIXED}.min.js`,
    [`x/nfp_${MIXED}.tar-old`]: `x/nfp_${MIXED}.tar-old`,
  };
  for (const [text, out] of Object.entries(once)) {
    expect(REDACTOR.text(text)).toBe(out);
    expect(REDACTOR.text(out)).toBe(out);
    for (let cut = 0; cut <= text.length; cut++) {
      const stream = REDACTOR.stream();
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe(out);
    }
  }
});

test("[SES-05 S54] a password before the first @ is redacted although what ends at a later @ is none", () => {
  const known = redactor(fingerprintSecrets([new Secret("A_KEY", "0123abcd.p/q+r=s!")], new Uint8Array(16)));
  const once = {
    "https://cafeb4b3:d3adb33f@enterprise.contribsys.com0123abcd.p/q+r=s!:5432:a:b:@h0aAa":
      "https://cafeb4b3:«redacted:password»@enterprise.contribsys.com«redacted:A_KEY»:5432:a:b:«redacted:password»",
    "https://app:d3adb33f@git.corp.net?to=example@x":
      "https://app:«redacted:password»@git.corp.net?to=example@x",
    "https://app:S3cret1@word9@git.corp.net": "https://app:«redacted:password»@git.corp.net",
  };
  for (const [text, out] of Object.entries(once)) {
    expect(known.text(text)).toBe(out);
    expect(known.text(out)).toBe(out);
  }
});

test("[SES-05] a marker makes no private key of what was none before it", () => {
  const moved = `-----BEGIN PRIVATE KEY----- name: "DB", const SONAR_LOGIN = "${"12345678ABCDEFH1234567890ABCDEFH12345678"}"eyJ`;
  for (let length = 16; length <= 200; length++) {
    const once = REDACTOR.text(`${moved}${"aB3dE".repeat(length / 5)}-`);
    expect(REDACTOR.text(once)).toBe(once);
  }
  const drawn =
    "dIukNW8MEMUhSUIqMdohgrNwxT2qcjXdgLBcth8kCxUyIJXuc35sRK4hi56bVUB6f9BcICB2jBK9fxYoTGOzw6HeJyIUWoBnINPq";
  const text = `-----BEGIN PRIVATE KEY-----PYTEST_SVC_ACCT_TOKEN=ops_eyJ${drawn}Q-------token -----END PRIVATE KEY-----`;
  const once = REDACTOR.text(text);
  expect(once).toContain("«redacted:1password-token»");
  expect(REDACTOR.text(once)).toBe(once);
});
