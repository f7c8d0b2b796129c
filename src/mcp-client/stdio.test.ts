import { expect, test } from "bun:test";
import fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { decode, encode } from "../base/text.ts";
import { Lines } from "./stdio.ts";

test("[MCP-01] property: messages are the same wherever their bytes were split", async () => {
  await holds(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 12 })),
      fc.array(fc.nat({ max: 30 })),
      (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll("\n", " "));
        const bytes = encode(lines.map((line) => `${line}\n`).join(""));
        const read = new Lines();
        const found: string[] = [];
        let from = 0;
        for (const length of [...cuts, bytes.length]) {
          // Whoever pushes may use the same memory again.
          const piece = bytes.slice(from, from + length);
          for (const line of read.push(piece)) found.push(decode(line));
          piece.fill(0);
          from += length;
        }
        expect(found).toEqual(lines.filter((line) => line !== ""));
        expect(read.length).toBe(0);
      },
    ),
  );
});
