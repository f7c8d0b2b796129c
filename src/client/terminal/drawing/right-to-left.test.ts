import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { clustersOf, clusterWidth, displayWidth } from "../../../view/terminal/display-width.ts";
import { NO_COLOURS } from "../themes/none.ts";
import { paint } from "./paint.ts";
import { directed, shownColumn, textColumn } from "./right-to-left.ts";
import type { DrawnRow } from "./span.ts";
import { row, span, textOfRow } from "./span.ts";
import { wrapSpans } from "./wrap-spans.ts";

const COLUMNS = 60;

function painted(drawn: DrawnRow): string {
  return paint(drawn, NO_COLOURS, COLUMNS);
}

function written(drawn: DrawnRow, how: "isolate" | "reorder" | "plain"): string {
  return textOfRow(row(directed(drawn, how)));
}

test("[TUI-11 complaint 23] a right-to-left word in a row is isolated: what stands beside it does not move", () => {
  expect(painted(row([span("▸ "), span("שלום"), span("  12 kB")]))).toBe("▸ \u2067שלום\u2069  12 kB");
  expect(painted(row([span("a · שלום עולם 5 · 3")]))).toBe("a · \u2067שלום עולם\u2069 5 · 3");
});

test("[TUI-11 complaint 23] a paragraph that begins from the right is isolated row by row, behind its margin, with its styles", () => {
  const line = [span("שלום "), span("עולם", { isBold: true }), span(" and more words")];
  const rows = wrapSpans(line, { columns: 14, first: [span("● ")], rest: [span("  ")] });
  expect(rows.map((each) => written(each, "isolate"))).toEqual([
    "● \u2067שלום עולם\u2069",
    "  \u2067and more\u2069",
    "  \u2067words\u2069",
  ]);
});

test("[TUI-07 TUI-11 complaint 23] marks of direction in a text stay visible: only those of this client are written", () => {
  const text = painted(row([span("x\u202eab\u2067ש\u2069\u200f")]));
  expect(text).toBe("x<U+202E>ab<U+2067>\u2067ש\u2069<U+2069><U+200F>");
});

test("[TUI-11 complaint 23] for a terminal that does not reorder, words are written as they are seen", () => {
  expect(written(row([span("▸ "), span("שלום"), span("  12")]), "reorder")).toBe("▸ םולש  12");
  const [first] = wrapSpans([span("שלום abc (12)")], { columns: 30, first: [span("> ")] });
  expect(first === undefined ? "" : written(first, "reorder")).toBe("> abc (12) םולש");
  expect(written(row([span("שלום")]), "plain")).toBe("שלום");
});

test("[TUI-11 complaint 21 complaint 23] the caret stands on its letter, and at the left of a right-to-left paragraph at its end", () => {
  const drawn = row([span("> "), span("שלום ab")], { margin: 2, direction: "rtl" });
  // Seen: "> ab םולש"
  expect([2, 5, 6, 7, 8].map((column) => shownColumn(drawn, column))).toEqual([8, 5, 4, 2, 3]);
  expect(shownColumn(drawn, 9)).toBe(1);
});

test("[TUI-11 complaint 23] rows stay as wide, and each place of the text has one place on the screen", async () => {
  const piece = fc.oneof(
    fc.constantFrom("א", "ب", "ab", "12", " ", "  ", " · ", "(", ")", "日", "👩‍🔬", "e\u0301"),
    fc.string({ unit: "grapheme", maxLength: 4 }),
  );
  const spans = fc.array(
    fc.array(piece, { maxLength: 8 }).map((pieces) => span(pieces.join(""))),
    { maxLength: 4 },
  );
  const direction = fc.constantFrom(undefined, "ltr" as const, "rtl" as const);
  const property = fc.property(spans, direction, (given, way) => {
    const drawn = row(given, way === undefined ? {} : { direction: way });
    for (const how of ["isolate", "reorder"] as const) {
      const shown = directed(drawn, how);
      const width = (all: DrawnRow["spans"]) => all.reduce((sum, { text }) => sum + displayWidth(text), 0);
      expect(width(shown)).toBe(width(given));
    }
    let column = 0;
    for (const { text } of given)
      for (const { segment } of clustersOf(text)) {
        if (clusterWidth(segment) > 0) expect(textColumn(drawn, shownColumn(drawn, column))).toBe(column);
        column += clusterWidth(segment);
      }
  });
  await holds(property, 500);
});
