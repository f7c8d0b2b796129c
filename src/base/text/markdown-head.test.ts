import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { readMarkdownHead } from "./markdown-head.ts";
import type { YamlHead } from "./yaml-head.ts";
import { readYamlHead } from "./yaml-head.ts";

const KEYS = [
  "name",
  "description",
  "metadata",
  "allowed-tools",
  "maxTurns",
  "null",
  "constructor",
  "e",
  "yes",
];
const key = fc.constantFrom(...KEYS);
const value = fc.oneof(
  fc.stringMatching(/^[A-Za-z][ -~]{0,30}$/),
  fc.stringMatching(/^["'][ -~]{0,12}["']$/),
  fc.stringMatching(/^-?[0-9._eEx]{1,10}$/),
  fc.constantFrom(
    "true",
    "No",
    "~",
    "a: b",
    "a:",
    "a #b",
    "a#b",
    "a:b",
    "\u6f22\u5b57",
    "\u00e9 \ud83d\ude00",
    "*a",
    "[a, b]",
  ),
);
const line = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(key, value).map(([name, text]) => `${name}: ${text}`) },
  { weight: 3, arbitrary: fc.tuple(key, value).map(([name, text]) => `  ${name}: ${text}`) },
  { weight: 2, arbitrary: key.chain((name) => fc.constantFrom(`${name}:`, `  ${name}:`)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "  ", "# a", "  - a", "   a: b", " a: b", "a:  b ", "a", "\ta: b", "  a:"),
  },
);

test("[SKL-01 REL-06] property: whatever a head holds, it says what YAML says, in the same lines", async () => {
  await holds(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const [yaml, read] = [readYamlHead(lines.join("\n")), await readMarkdownHead(lines)];
      expect(said(read)).toEqual(said(yaml));
    }),
    3_000,
  );
}, 300_000);

function said(read: YamlHead): unknown {
  return read.kind === "problem" ? read : [read.value, KEYS.map((each) => read.lineOf(each))];
}
