import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { JSON_DEPTH_MAX, parseJson, stringAt } from "./json.ts";

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
