import { expect, test } from "bun:test";
import { redactor } from "./redact.ts";

const REDACTOR = redactor([]);
const HEX32 = "9b1f0c3d5e7a2468bd13f5790ace8642";
const HEX40 = `${HEX32}70aa9c31`;
const HEX64 = `${HEX32}${"5d0e8c7b6a5f4e3d2c1b0a9f8e7d6c5b"}`;
const MIXED = "Kq7Zt2Vn9Xw4Rb6Yc1Ld8Ms3";
const UUID = "3f2b8c1d-7e4a-4b6f-9d0c-5a1e2b3c4d5f";

/** A text, and the part of it that is secret. */
const SECRET: readonly (readonly [text: string, secret: string])[] = [
  // Parts with dots between, behind an id or a mark.
  [`bot MTk4NjIyNDgzNDcxOTI1MjQ4.GxQ2pZ.${MIXED}_-a`, `GxQ2pZ.${MIXED}_-a`],
  [`hawk.${MIXED}.${MIXED}`, `${MIXED}.${MIXED}`],
  // A place behind hexadecimal digits.
  [`mail ${HEX32}-us12 there`, `${HEX32}-us12`],
  // Hexadecimal digits behind a mark that is no word, or not as many as a digest has.
  [`tok q-z7k2md-${HEX64}`, HEX64],
  [`w9f-${HEX32}`, HEX32],
  [`abc-${HEX32}0123a`, `${HEX32}0123a`],
  [`"credentials": "${HEX64}"`, HEX64],
  [`Authorization: Api-Token ${HEX40}`, HEX40],
  [`X-Service-Key: ${HEX40}`, HEX40],
  [`secret_${UUID}`, UUID],
  // Base64url is one value, whatever dashes it has.
  [`zq_Kq7Zt2Vn-9Xw4Rb6Yc1_Ld8Ms3aB`, "Kq7Zt2Vn-9Xw4Rb6Yc1_Ld8Ms3aB"],
  // Words behind the name that say which secret it is.
  [`SECRET_KEY_BASE=${HEX64}`, HEX64],
  [`STRIPE_API_KEY_PROD=${MIXED}`, MIXED],
  // Options with any name, and a word before the value.
  [`travis login --github-token ${MIXED}x1Y2`, `${MIXED}x1Y2`],
  [`ngrok config add-authtoken ${MIXED}_${MIXED}`, `${MIXED}_${MIXED}`],
  // Addresses.
  [`https://f.example.net/api/run?code=${MIXED}-${MIXED}==`, `${MIXED}-${MIXED}==`],
  [
    "https://x.example.net/b?se=2026&sig=qdCHn775HnybHQ4ltUd8z8p0FbcjnI%2B5z4KFBWIS8Zh%3D&sv=1",
    "qdCHn775HnybHQ4ltUd8z8p0FbcjnI%2B5z4KFBWIS8Zh%3D",
  ],
  // Base64 may begin with a slash, and a password may hold a percent sign.
  [`PresharedKey=/${MIXED}C3FsX9Aopr6LDoexbQ=`, `/${MIXED}C3FsX9Aopr6LDoexbQ=`],
  ["ansible_ssh_pass=QqEJt329%Dt#Cc", "QqEJt329%Dt#Cc"],
  ["admin:$apr1$mS6YjD2M$AlCJP2D6u5JXnVaUuAR9Ab", "$apr1$mS6YjD2M$AlCJP2D6u5JXnVaUuAR9Ab"],
];

const PLAIN: readonly string[] = [
  `deploy-${HEX40} and image-${HEX64}, sha256-${HEX64}`,
  `commit ${HEX40}, etag "${HEX32}", ${HEX32}-use`,
  `user_${UUID}, session-${UUID}`,
  `main.${HEX32}.js, chunk-${MIXED}.js, index-BxK3d9aZ.css`,
  "raise errors.InvalidBase64PaddingDefect() from this.someRatherLongMethodName2(of, it)",
  "const some_rather_long_identifier_2_of_3 = a.bC.dE1",
  "the token is deprecated, a secret handshake, --token TOKEN, --api-key <key>, --cache-key v2-linux-node20",
  "https://www.example.org/watch?code=DE&signature=none&v=dQw4w9WgXcQ",
  "printf 'password: %s' and password=%d",
  "TOKEN_TEST=true, SECRET_BASE=./secrets, PASSWORD_MAIN=$PASSWORD",
];

test("[SES-05] a secret is recognised by its shape and its context, whoever issued it", () => {
  for (const [text, secret] of SECRET) {
    const out = REDACTOR.text(text);
    expect({ text, out: out.replace(/«redacted:[\w-]+»/, "«»") }).toEqual({
      text,
      out: text.replace(secret, "«»"),
    });
  }
});

test("[SES-05] digests, ids, names of files and identifiers stay, and so does what stands in for a value", () => {
  expect(PLAIN.map((text) => REDACTOR.text(text))).toEqual([...PLAIN]);
});

test("[SES-05 R06] such shapes are read alike wherever a stream is cut, and twice is once", () => {
  for (const text of [...SECRET.map(([each]) => `x ${each} y`), ...PLAIN]) {
    const whole = REDACTOR.text(text);
    expect(REDACTOR.text(whole)).toBe(whole);
    for (let cut = 0; cut <= text.length; cut++) {
      const stream = REDACTOR.stream();
      expect(stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.end()).toBe(whole);
    }
  }
});
