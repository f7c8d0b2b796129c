import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import type { JsonObject } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import { RequestBytes } from "./request-bytes.ts";

const item = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
  fc.record({ role: fc.constantFrom("user", "assistant"), text: fc.string({ unit: "binary" }) }),
);
/** Few different items, so that lists often begin alike, with the same objects and with equal ones. */
const lists = fc.array(item, { minLength: 1, maxLength: 4 }).chain((items) =>
  fc.array(
    fc
      .array(fc.tuple(fc.constantFrom(...items), fc.boolean()), { maxLength: 6 })
      .map((list) => list.map(([value, copied]) => (copied ? structuredClone(value) : value))),
    { maxLength: 6 },
  ),
);
const settings = fc.constantFrom<JsonObject>(
  {},
  { model: "m" },
  { model: "ü", top: [1] },
  { none: undefined },
);

test("[PROV-10 PERF-02] whatever was rendered before, a body becomes the bytes that JSON.stringify would give", async () => {
  await holds(
    fc.property(lists, fc.infiniteStream(settings), (all, rests) => {
      const bytes = new RequestBytes();
      for (const messages of all) {
        const body = { ...rests.next().value, messages };
        expect(decode(bytes.render(body))).toBe(JSON.stringify(body).toWellFormed());
      }
    }),
    1_000,
  );
});

test("[PROV-10] a body without a list at its end is rendered too", () => {
  const bytes = new RequestBytes();
  const bodies: JsonObject[] = [{}, { a: [1], b: 2 }, { messages: [] }, { messages: [undefined, null, "x"] }];
  expect(bodies.map((body) => decode(bytes.render(body)))).toEqual([
    "{}",
    '{"a":[1],"b":2}',
    '{"messages":[]}',
    '{"messages":[null,null,"x"]}',
  ]);
});

test("[PERF-02] an item that is the same object as before is not rendered again", () => {
  let rendered = 0;
  const counted = { toJSON: () => ({ rendered: ++rendered }) };
  const bytes = new RequestBytes();
  const texts = [[counted], [counted, "two"], [counted, "two", "three"]].map((messages) =>
    decode(bytes.render({ messages })),
  );
  expect(texts).toEqual([
    '{"messages":[{"rendered":1}]}',
    '{"messages":[{"rendered":1},"two"]}',
    '{"messages":[{"rendered":1},"two","three"]}',
  ]);
});
