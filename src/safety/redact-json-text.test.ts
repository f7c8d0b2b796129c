import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { Secret } from "../base/brand.ts";
import { redactor } from "./redact.ts";
import { jsonTextStream } from "./redact-json-text.ts";

const KEY = `sk-ant-api03-${"a1B2c3D4".repeat(12)}AA`;
const OWN = 'my "own"\\\nsecret value 4711';
const REDACTOR = redactor([], [new Secret("own", OWN)]);

function redacted(text: string, size: number): string {
  const stream = jsonTextStream(REDACTOR);
  let out = "";
  for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
  return out + stream.end();
}

/** Escapes every character. */
function escaped(value: string): string {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

test("[SES-05 CTL-19] a secret in arguments is redacted, however it is cut and escaped", () => {
  const texts = [
    JSON.stringify({ command: `curl -H "x-api-key: ${KEY}" a`, [KEY]: 1 }),
    `{"command":${escaped(`echo ${KEY} and more`)}}`,
    JSON.stringify({ content: OWN, more: `x ${OWN} y` }),
    JSON.stringify({ password: "hunter2!pass", apiKey: "q8Zr4LmX0pW7sT2vY5kB" }),
    `{"password" : ${escaped("hunter2!pass")} }`,
    `no JSON at all: ${KEY}`,
    `{"open": "${KEY}`,
  ];
  for (const text of texts)
    for (const size of [1, 2, 3, 7, 64, 10_000]) {
      const out = redacted(text, size);
      expect(out).toContain("«redacted:");
      expect(out).not.toContain(KEY.slice(20, 60));
      expect(out).not.toContain("secret value 4711");
      expect(out).not.toContain("hunter2");
      if (!text.endsWith("}")) continue;
      expect(JSON.parse(out)).toEqual(REDACTOR.json(JSON.parse(text)));
    }
});

test("[SES-05 CTL-19] arguments without a secret come out unchanged, however they are written and cut", async () => {
  const value = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("json"), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie("json"), { maxKeys: 4 }),
    ),
  })).json;
  const texts = fc.tuple(value, fc.constantFrom(0, 2), fc.boolean()).map(([json, indent, isEscaped]) => {
    const text = JSON.stringify(json, undefined, indent) ?? "null";
    return isEscaped ? text.replaceAll(/[^\x20-\x7e\n]/g, (each) => escaped(each).slice(1, -1)) : text;
  });
  await holds(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, size) => redacted(text, size) === text),
  );
});
