import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX, parseJson, parseMessage, stringAt } from "./json.ts";

test("[REL-06] any text is parsed or refused, and never throws", async () => {
  await holds(fc.property(fc.string(), (text) => void parseJson(text)));
  await holds(
    fc.property(fc.json({ maxDepth: 8 }), (text) =>
      expect(parseJson(text)).toEqual({ value: JSON.parse(text) }),
    ),
  );
});

test("[REL-06] JSON that is nested too deep is refused", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  expect(parseJson(nested(JSON_DEPTH_MAX))).toBeDefined();
  expect(parseJson(nested(JSON_DEPTH_MAX + 2))).toBeUndefined();
  expect(parseJson(nested(200_000))).toBeUndefined();
});

test("[REL-06] a key named __proto__ changes no object", () => {
  const parsed = parseJson('{"__proto__":{"kind":"admin"}}');
  expect(stringAt(parsed?.value, "kind")).toBeUndefined();
});

test("[REL-06 S65] a message of more values than any has is refused, however they are put together; long texts are not", async () => {
  const many = JSON_VALUES_MAX;
  const tooMany = [
    `[${"0,".repeat(many)}0]`,
    "[".repeat(many + 1) + "]".repeat(many + 1),
    `{${Array.from({ length: many + 1 }, (_, at) => `"k${at}":"\\"\\\\"`).join(",")}}`,
    `[${'{"type":"text","text":"a"},'.repeat(many)}0]`,
  ];
  for (const text of tooMany) expect(parseMessage(text)).toBeUndefined();
  const texts = [",".repeat(4 * many), '[{"'.repeat(many), "\\".repeat(2 * many + 1), '\\"'.repeat(2 * many)];
  for (const text of texts) expect(parseMessage(JSON.stringify([text, text]))?.value).toEqual([text, text]);
  const broken = ['["'.padEnd(4 * many, "x"), `"${"\\".repeat(4 * many + 1)}"`, " ".repeat(4 * many)];
  for (const text of broken) expect(parseMessage(text)).toBeUndefined();
  await holds(
    fc.property(fc.json({ maxDepth: 8 }), (text) =>
      expect(parseMessage(text + " ".repeat(2 * many))).toEqual({ value: JSON.parse(text) }),
    ),
    20,
  );
});
