import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { endedText, lastLineOf, newText, streamedSource, textAfter } from "./streamed-text.ts";

const PIECE = fc.string({
  unit: fc.constantFrom("a", " ", "\n", "\n\n", "```\n", "# ", "- ", "\t"),
  maxLength: 12,
});

test("[TUI-01] a text that comes in pieces knows its lines and its last one, wherever the pieces are cut", async () => {
  const property = fc.property(fc.array(PIECE, { minLength: 1, maxLength: 12 }), (pieces) => {
    const [first = "", ...rest] = pieces;
    const text = rest.reduce(textAfter, newText(first));
    for (const each of [text, endedText(text)]) {
      const lines = streamedSource(each).trim().split("\n");
      expect(Math.max(1, each.lines)).toBe(lines.length);
      expect(lastLineOf(each)).toBe((lines.at(-1) ?? "").trimStart());
    }
  });
  await holds(property, 300);
});
