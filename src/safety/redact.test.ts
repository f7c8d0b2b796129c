import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { costMs } from "../../test/support/cost.ts";
import { holds } from "../../test/support/property.ts";
import {
  KNOWING,
  knowing,
  piecesGiveTheWhole,
  twiceIsOnce,
} from "../../test/support/redaction-properties.ts";
import { secretPositives, secretSamples } from "../../test/support/secret-samples.ts";
import { Secret } from "../base/brand.ts";
import type { Redactor } from "./redact.ts";
import { redactor } from "./redact.ts";
import { fingerprintSecrets } from "./secrets/known-secret.ts";

const NONE = redactor([]);
const MARKER = /«redacted:[A-Za-z0-9_.-]+»/;

/** Negatives of one rule that another rule, or a person, rightly takes for a secret; and how many of each. */
const RIGHTLY_SEEN: Readonly<Record<string, number>> = {
  // Every `sk-ant-` token goes, of whatever length and ending: a key that was cut off is still most of a key.
  "anthropic-admin-api-key": 3,
  "anthropic-api-key": 2,
  // Values beside `token`, `key`, `apiKey` and the like that a machine has drawn.
  "cisco-meraki-api-key": 1,
  "clickhouse-cloud-api-secret-key": 1,
  "generic-api-key": 1,
  "mailchimp-api-key": 1,
  "slack-user-token": 1,
  // The very same texts stand among the positives: their rules go by the name of the file.
  "hashicorp-tf-password": 1,
  "nuget-config-password": 1,
};

const POSITIVES = secretPositives();

test("[SES-05] every sample of a secret is found", () => {
  expect(POSITIVES.length).toBeGreaterThan(330);
  const missed = POSITIVES.filter(({ text }) => !MARKER.test(NONE.text(text)));
  expect(missed).toEqual([]);
});

// Seen red while seven equal letters, or the alphabet, made a placeholder of any value.
test("[SES-05] behind the mark of an issuer or the name of a secret, only a value that is filled for half or more is a placeholder", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const base64 = `${letters.toUpperCase()}${letters}0123456789+/${letters.toUpperCase()}==`;
  const found = [
    ["secret_key=zzzzzzzzAbCdEf12345678", "secret_key=«redacted:secret»"],
    ['secret_key = "AbCdEf12345678zzzzzzzz"', 'secret_key = "«redacted:secret»"'],
    [`x hf_${letters}${letters.slice(0, 10)} y`, "x «redacted:huggingface-token» y"],
    [`AccountName=a;AccountKey=${base64};X=1`, "AccountName=a;AccountKey=«redacted:secret»;X=1"],
  ];
  for (const [text = "", expected = ""] of found) expect(NONE.text(text)).toBe(expected);
  const left = [
    "api_key=00000000000000000000000000000000",
    "api_key=xxxxxxxxxxxxxxxxxxxxxxxx1234",
    "API_KEY=aaaaaaaaaaaaaaaaaaaa1",
    "secret=12345678901234567890",
    "client_secret=00000000-0000-0000-0000-000000000001",
    `ghp_${"x".repeat(36)}`,
    `sk-${"x".repeat(20)}T3BlbkFJ${"x".repeat(20)}`,
    "hf_requiredCharacteristicTypesForDisplayMetadata",
  ];
  for (const text of left) expect(NONE.text(text)).toBe(text);
});

test("[SES-05] what only resembles a secret is left alone", () => {
  const touched = secretSamples("negatives").filter(({ text }) => NONE.text(text) !== text);
  const counts = new Map<string, number>();
  for (const { rule } of touched) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual(RIGHTLY_SEEN);
});

test("[SES-05] real AGENTS.md files and skills are left as they are", () => {
  const texts = filesBelow("agents-md", "skills").filter((text) => NONE.text(text) !== text);
  expect(texts).toEqual([]);
});

function filesBelow(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) => {
    const root = join(import.meta.dir, "../../test/data", folder);
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(10);
    return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  });
}

const TOKEN = `ghp_${"5iydacpid9zwx3c536l4"}${"bkcu9cu95xqoq0ks"}`;
const AWS = `AKIA${"QYLPMN5HHHTGZ7DV"}`;
const PEM = [
  "-----BEGIN RSA PRIVATE KEY-----",
  ...Array(5).fill("MIIEpAIBAAKCAQEA7bq98765abcdefGHIJKLmnop"),
  "-----END RSA PRIVATE KEY-----",
];

test("[SES-05] only the secret goes, what stands around it stays", () => {
  expect(NONE.text(`export A=${AWS}; curl -H "Authorization: Bearer ${"a1b2c3d4e5f6a7b8c9"}" x`)).toBe(
    'export A=«redacted:aws-access-key»; curl -H "Authorization: Bearer «redacted:bearer»" x',
  );
  expect(NONE.text(`a\n${PEM.join("\n")}\nb`)).toBe("a\n«redacted:private-key»\nb");
  expect(NONE.text(`{"key":"${PEM.join("\\n")}\\n"}`)).toBe('{"key":"«redacted:private-key»\\n"}');
  expect(NONE.text(`${PEM.slice(0, 4).join("\n")}\n[cut off]`)).toBe("«redacted:private-key»\n[cut off]");
  expect(NONE.text(`x${TOKEN} ${TOKEN}.`)).toBe(`x${TOKEN} «redacted:github-token».`);
});

test("[SES-05] a value beside the name of a secret goes, whatever it looks like; its name stays", () => {
  const rows: readonly (readonly [string, string])[] = [
    [`password = "hunter2hunter2"`, `password = "«redacted:secret»"`],
    [`DB_PASSWORD=h7nter!two`, `DB_PASSWORD=«redacted:secret»`],
    [`API_KEY=9f8e7d6c5b4a39281706`, `API_KEY=«redacted:secret»`],
    [`{"clientSecret":"q8Zr-41kLm_Pw0"}`, `{"clientSecret":"«redacted:secret»"}`],
    [`{\\"token\\":\\"q8Zr-41kLm_Pw0\\"}`, `{\\"token\\":\\"«redacted:secret»\\"}`],
    [
      `aws_secret_access_key = wJa1rXUtnFEMI/K7MDENG+bPxRfiCY9qKEYzz3q1`,
      `aws_secret_access_key = «redacted:secret»`,
    ],
    [
      `postgres://app:s3cr3tpw@db.internal:5432/app`,
      `postgres://app:«redacted:password»@db.internal:5432/app`,
    ],
    [`Authorization: Basic dXNlcjpodW50ZXIyMTIz`, `Authorization: Basic «redacted:secret»`],
    [`curl -u deploy:h7nter.two https://x`, `curl -u deploy:«redacted:password» https://x`],
    [`token=${TOKEN}`, `token=«redacted:github-token»`],
    [`password: str = "hunter2hunter2"`, `password: str = "«redacted:secret»"`],
    [
      `AccountName=a;AccountKey=kJ8fQ2xT0pLw9sVbN4mZ7cRyHdUe1GiA3oKtXv5jWqYB6nSlEaPzMrF==;`,
      `AccountName=a;AccountKey=«redacted:secret»;`,
    ],
  ];
  expect(rows.map(([before]) => NONE.text(before))).toEqual(rows.map(([, after]) => after));
});

test("[SES-05] code about secrets, and what stands in for one, stays as it is", () => {
  const plain = [
    `password = getPassword()`,
    `const token = await mint(claims);`,
    `password: string;`,
    `token: process.env.GITHUB_TOKEN,`,
    `password: "your-password-here"`,
    `API_KEY=<your key>`,
    `api_key = "\${API_KEY}"`,
    `secret: \${{ secrets.DEPLOY_KEY }}`,
    `max_tokens: 4096, token_count = 12345678`,
    `primaryKey: "user_id_2024_partition_7a"`,
    `Authorization: Bearer $TOKEN`,
    `postgres://postgres:postgres@localhost:5432/test`,
    `docker run -u 1000:1000 image`,
    `if (password === "password") throw`,
    `"password": "Passwort"`,
    `token: ./secrets/token.txt`,
    `sortKey = "DOC_Vector_5_32"`,
  ];
  expect(plain.map(NONE.text)).toEqual(plain);
});

test("[SES-05] ordinary text is no secret", () => {
  const plain = [
    "Bearer authentication with a token is required",
    "-----BEGIN PRIVATE KEY----- starts such a block",
    "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA7bq98765abcdefGHIJKL\n-----END CERTIFICATE-----",
    "class sk-fading-circle sk-child-element-number-twelve { }",
    "eyJ is how base64 of a JSON object begins",
    "a sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709 and sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8==",
  ];
  expect(plain.map(NONE.text)).toEqual(plain);
});

test("[SES-05] a known key is found whatever it looks like and however it is written", () => {
  expect(KNOWING.text("x0123abcd.p/q+r=s!y")).toBe("x«redacted:ZAI_API_KEY»y");
  expect(KNOWING.text("u?k=0123abcd.p%2Fq%2Br%3Ds!")).toBe("u?k=«redacted:ZAI_API_KEY»");
  expect(KNOWING.text(JSON.stringify({ a: "the-first-line-of-it\nthe-second-line-of-it" }))).toBe(
    '{"a":"«redacted:odd_kind_»"}',
  );
  expect(KNOWING.text("> the-second-line-of-it")).toBe("> «redacted:odd_kind_»");
  expect(KNOWING.text(`echo ${btoa("0123abcd.p/q+r=s!\n")}`)).toStartWith("echo «redacted:ZAI_API_KEY»");
  expect(knowing(new Secret("SHORT", "abc-15-letters-")).text("abc-15-letters-")).toBe("abc-15-letters-");
  const both = knowing(new Secret("A", "long-secret-of-16"), new Secret("B", "long-secret-of-16-and-more"));
  expect(both.text("long-secret-of-16-and-more, long-secret-of-16-")).toBe("«redacted:B», «redacted:A»-");
});

test("[SES-05 CRED-03] what a key is recognised by does not hold the key, and holds nothing back in ordinary text", () => {
  const prints = fingerprintSecrets([new Secret("KEY", "0123abcd.p/q+r=s!")], new Uint8Array(16));
  expect(JSON.stringify(prints)).not.toContain("abcd");
  const stream = redactor(prints).stream();
  expect(stream.push("as in 012 and 0123ab")).toBe("as in 012 and ");
  expect(stream.push(" or so")).toBe("0123ab or so");
});

test("[SES-05] strings and keys of a JSON value are redacted at every depth, and no key is lost", () => {
  const value = { a: [1, null, { [TOKEN]: true, [`${TOKEN}`.replace("5", "6")]: false }], b: "plain" };
  expect(NONE.json(value)).toEqual({
    a: [1, null, { "«redacted:github-token»": true, "«redacted:github-token»#2": false }],
    b: "plain",
  });
  const plain = JSON.parse('{"__proto__": {"x": ["y"]}}');
  expect(NONE.json(plain)).toBe(plain);
  const redacted = NONE.json(JSON.parse(`{"__proto__": "${AWS}"}`)) as object;
  expect(Object.entries(redacted)).toEqual([["__proto__", "«redacted:aws-access-key»"]]);
});

function streamed(by: Redactor, chunks: readonly string[]): string {
  const stream = by.stream();
  return chunks.map((chunk) => stream.push(chunk)).join("") + stream.end();
}

test("[SES-05 R06] a secret is found wherever the stream is cut", () => {
  const text = `start ${TOKEN}, ${AWS}\n${PEM.join("\n")} 👩‍👩‍👧 0123abcd.p/q+r=s! Bearer a1b2c3d4e5f6a7b8c9 end eyJ`;
  const whole = KNOWING.text(text);
  expect(whole).not.toContain("0123abcd");
  for (let cut = 0; cut <= text.length; cut++) {
    expect(streamed(KNOWING, [text.slice(0, cut), text.slice(cut)])).toBe(whole);
  }
  expect(streamed(KNOWING, [...text])).toBe(whole);
  expect(streamed(KNOWING, text.split(""))).toBe(whole);
});

// The seed is fixed, so that a run is not red by chance. Other seeds: `npm run soak -- --redaction`.
const SEED = 5;

test("[SES-05] property: pieces of a stream give what the whole text gives, and no piece splits a character", async () => {
  await holds(piecesGiveTheWhole(), 2_000, SEED);
});

test("[SES-05] property: redacting twice is redacting once", async () => {
  await holds(twiceIsOnce(), 2_000, SEED);
});

test("[SES-05] what a stream holds back is bounded, and ordinary text is not held at all", () => {
  const stream = NONE.stream();
  expect(stream.push("nothing here. ")).toBe("nothing here. ");
  let held = 0;
  for (const part of Array<string>(80).fill("A b/".repeat(250)))
    held += part.length - stream.push(part).length;
  expect(held).toBe(0);
  let pending = stream.push("-----BEGIN PRIVATE KEY-----").length - 27;
  for (let i = 0; i < 80; i++) pending += stream.push("%".repeat(1_000)).length - 1_000;
  expect(-pending).toBeLessThan(40_000);
});

test("[SES-05] text made to begin a secret everywhere is judged in time linear in its length", async () => {
  const seeds = [
    ...["eyJ", "eyJx-", "eyJabcdefghijk.", "ghp_", "sk-", "sk-ant-a1", "Bearer ", "-----BEGIN ", "xoxb-1-"],
    ...["AIza", "SG.", "=", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAAAAAA "],
    ...[
      "0123abcd.p/q",
      "Bearer\t \t",
      "password=",
      'password="',
      "password=a",
      "token: ",
      "://a:b",
      "://a:b@",
    ],
    ...[
      " -u ",
      ' -u "',
      " -u a:",
      "key key: ",
      'name: "a_token" value=',
      "data:\n a:",
      "://",
      "Q~",
      "FlyV1 ",
    ],
    ...[
      "kind: Secret\ndata:\n a: ",
      "a3Q~",
      'token=\\"',
      "hooks.slack.com/services/",
      "A: B = ",
      "::::",
      "a=b:c ",
    ],
    ...[
      "token: -----BEGIN PRIVATE KEY-----",
      `password="${"super".repeat(12)}"`,
      "password=a-b-1-",
      "token=.",
    ],
    ...["a_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8 ", "a_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8_", "--token ", "<token>", "<token>a"],
    ...["ENV A_TOKEN ", "login a password ", " -u a -p ", "Cookie: a=b; ", "cookie: a=", ":5432:a:b:", "a-"],
    ...["password=x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "A3-", "password='\\", "password=$"],
  ];
  const slow: { readonly seed: string; readonly ms: number }[] = [];
  for (const seed of seeds) {
    const whole = seed.repeat(Math.ceil(200_000 / seed.length));
    const ms = await costMs(() => expect(KNOWING.text(whole).length).toBeGreaterThan(0), SLOW_MS);
    if (ms > SLOW_MS) slow.push({ seed, ms });
  }
  expect(slow).toEqual([]);
}, 120_000);

test("[SES-05] a long text of assignments without a colon costs no look back to its beginning", async () => {
  for (const seed of ["x=1;", "a1=b."]) {
    const whole = seed.repeat(1_600_000 / seed.length);
    expect(await costMs(() => expect(KNOWING.text(whole).length).toBe(whole.length), LONG_MS)).toBeLessThan(
      LONG_MS,
    );
  }
}, 120_000);

// Quadratic work takes seconds; the aim is 100 ms for a megabyte, which the bench measures.
const SLOW_MS = 500;
const LONG_MS = 1_500;
