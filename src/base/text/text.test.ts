import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { byteLength, count, decode, encode, grouped, head, shortened, wellFormed } from "./text.ts";

const anyText = fc.string({ unit: "binary" });

test("[PROV-10] cutting a text never makes half a character", async () => {
  await holds(
    fc.property(
      anyText.filter((text) => text.isWellFormed()),
      fc.nat(40),
      (text, unitsMax) => {
        const part = head(text, unitsMax);
        expect(part.isWellFormed()).toBe(true);
        expect(part.length).toBeLessThanOrEqual(unitsMax);
        expect(part.length).toBeGreaterThanOrEqual(Math.min(text.length, unitsMax) - 1);
        expect(text.startsWith(part)).toBe(true);
        expect(shortened(text, unitsMax)).toBe(text.length > unitsMax ? `${part}…` : text);
      },
    ),
    300,
  );
  expect([head("a😀b", 2), head("a😀b", 3)]).toEqual(["a", "a😀"]);
});

test("any bytes become text, and text that is well formed survives the way there and back", async () => {
  await holds(fc.property(fc.uint8Array(), (bytes) => expect(decode(bytes).isWellFormed()).toBe(true)));
  await holds(
    fc.property(anyText.map(wellFormed), (text) => {
      if (!text.startsWith("\ufeff")) expect(decode(encode(text))).toBe(text);
      expect(byteLength(text)).toBe(encode(text).length);
    }),
  );
  expect([count(0, "file"), count(1, "file"), count(2, "file")]).toEqual(["0 files", "1 file", "2 files"]);
  expect([0, 999, 1_000, 1_234_567].map(grouped)).toEqual(["0", "999", "1,000", "1,234,567"]);
});
