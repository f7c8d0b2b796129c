import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { clustersOf, displayWidth, firstCluster } from "../../../view/terminal/display-width.ts";
import { joinedText } from "./row-text.ts";
import { span, textOfRow } from "./span.ts";
import { wrapSpans } from "./wrap-spans.ts";

const FAMILY = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
const PIECES = [
  "word",
  " ",
  "日本",
  FAMILY,
  "🇩🇪",
  "👋🏽",
  "❤\ufe0f",
  "1\ufe0f\u20e3",
  "e\u0301\u0302\u0303",
  "한",
  "\u1112\u1161\u11ab",
  "क्षि",
  "กำ",
  "שלום",
  "سَلام",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme", maxLength: 5 })), {
    maxLength: 25,
  })
  .map((pieces) => pieces.join(""));
const lines = fc.array(text, { maxLength: 3 });
const columns = fc.integer({ min: 1, max: 30 });

/** Returns the places of a text at which a cluster ends. */
function borders(of: string): ReadonlySet<number> {
  let at = 0;
  return new Set([0, ...Array.from(clustersOf(of), ({ segment }) => (at += segment.length))]);
}

test("[TUI-11] whatever is wrapped, no character of a reader is divided, none is lost, and rows fit", async () => {
  const property = fc.property(lines, columns, fc.boolean(), (texts, width, byWords) => {
    const spans = texts.map((each) => span(each));
    const rows = wrapSpans(spans, { columns: width, byWords });
    const whole = spans.map((each) => each.text).join("");
    const ends = borders(whole);
    const joined = joinedText(rows);
    expect(joined.text.replaceAll(/\s/g, "")).toBe(whole.replaceAll(/\s/g, ""));
    for (const drawn of rows) {
      const shown = textOfRow(drawn);
      const isOne = firstCluster(shown) === shown;
      const sum = drawn.spans.reduce((total, each) => total + displayWidth(each.text), 0);
      expect(isOne || sum <= width).toBe(true);
    }
    if (byWords) return;
    let at = 0;
    for (const drawn of rows) {
      at += textOfRow(drawn).length;
      // Two parts of one character in two styles count as two.
      if (texts.length === 1) expect(ends).toContain(at);
    }
  });
  await holds(property, 1_000);
});

test("[TUI-11] a character with many marks is not divided where the examined text ends", () => {
  const marked = `a${"\u0301".repeat(30)}`;
  const rows = wrapSpans([span(marked.repeat(7))], { columns: 3 });
  expect(rows.map(textOfRow)).toEqual([marked.repeat(3), marked.repeat(3), marked]);
});

test("[TUI-11] marks that begin a style stay with their character at the end of a row", () => {
  const rows = wrapSpans([span("abcd"), span("\u0301ef", { isBold: true })], { columns: 4, byWords: false });
  expect(rows.map(textOfRow)).toEqual(["abcd\u0301", "ef"]);
  const heart = wrapSpans([span("abc❤"), span("\ufe0f")], { columns: 4, byWords: false });
  expect(heart.map(textOfRow)).toEqual(["abc", "❤\ufe0f"]);
});

test("[TUI-11] at one column a wide character keeps its row, and what follows the next ones", () => {
  expect(wrapSpans([span(`${FAMILY}日a`)], { columns: 1 }).map(textOfRow)).toEqual([FAMILY, "日", "a"]);
});
