import { expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import * as fc from "fast-check";
import { holds } from "../../../../../test/support/property.ts";
import type { Measure } from "../../../../../test/support/small-screen.ts";
import { SmallScreen } from "../../../../../test/support/small-screen.ts";
import { clustersOf, clusterWidth, displayWidth, isSimple } from "../../../../view/terminal/display-width.ts";
import { paint } from "../../drawing/paint.ts";
import { row, span, textOfRow } from "../../drawing/span.ts";
import { NO_COLOURS } from "../../themes/none.ts";
import { FrameWriter } from "./frame-writer.ts";
import { addressed } from "./painted-text.ts";

const SIZE = { columns: 30, rows: 4 };
const FAMILY = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
const MARK = /^[\p{M}\p{Cf}]$/u;
const HIDDEN = /^(?:\p{Cf}|\ufe0f)$/u;

/** Terminals that measure otherwise than this client does. */
const TERMINALS: Readonly<Record<string, Measure>> = {
  "draws each part of a joined character": (cluster) =>
    Array.from(cluster, (part) => [part, MARK.test(part) ? 0 : clusterWidth(part)] as const),
  "gives joiners, selectors and isolates a column": (cluster) =>
    Array.from(cluster, (part) => [part, HIDDEN.test(part) ? 1 : clusterWidth(part)] as const),
  "gives each character one column": (cluster) => [[cluster, isSimple(cluster) ? clusterWidth(cluster) : 1]],
};

const piece = fc.constantFrom(
  "a",
  " b ",
  "│",
  "日",
  FAMILY,
  "🇩🇪",
  "👋🏽",
  "❤\ufe0f",
  "क्षि",
  "e\u0301",
  "שלום",
  "한",
);
const painted = fc
  .array(piece, { maxLength: 12 })
  .map((pieces) => paint(row([span(pieces.join(""))]), NO_COLOURS, SIZE.columns));
const pictures = fc.array(fc.array(painted, { maxLength: SIZE.rows }), { minLength: 1, maxLength: 5 });

/** Returns the cells of a row that a reader must find: simple characters, and blanks behind the text. */
function expectedCells(text: string): ReadonlyMap<number, string> {
  const cells = new Map<number, string>();
  let column = 0;
  for (const { segment } of clustersOf(text)) {
    if (isSimple(segment)) cells.set(column, segment);
    column += clusterWidth(segment);
  }
  for (let at = column; at < SIZE.columns; at += 1) cells.set(at, " ");
  return cells;
}

for (const [name, measure] of Object.entries(TERMINALS))
  test(`[TUI-11 complaint 1] nothing moves and nothing old stays on a terminal that ${name}`, async () => {
    const property = fc.property(pictures, (all) => {
      const screen = new SmallScreen(SIZE.columns, SIZE.rows, measure);
      const writer = new FrameWriter();
      for (const rows of all) screen.write(writer.update({ rows }, SIZE));
      const last = all.at(-1) ?? [];
      for (let at = 0; at < SIZE.rows; at += 1)
        for (const [column, text] of expectedCells(last[at] ?? ""))
          expect([at, column, screen.cells(at)[column]?.normalize("NFC").slice(0, 1)]).toEqual([
            at,
            column,
            text,
          ]);
    });
    await holds(property, 500);
  });

test("[TUI-11] what every terminal measures alike costs no byte more", () => {
  for (const text of ["plain", "── …", "日本語", "Grüße", "שלום", "e\u0301"])
    expect([text, addressed(text)]).toEqual([text, text]);
  expect(addressed("a👋b", 4)).toBe("a  \u001b[6G👋\u001b[8Gb");
});

test("[TUI-11] a joined emoji is written over by what follows it, with its own cells blank before", () => {
  const drawn = row([span(`${FAMILY}x`)]);
  expect(addressed(paint(drawn, NO_COLOURS, 30))).toBe(`  \u001b[1G${FAMILY}\u001b[3Gx`);
  expect(displayWidth(textOfRow(drawn))).toBe(3);
});

/** Widths that this client and the library count differently: the text, ours, the library's. */
const DIFFERENT: readonly (readonly [string, number, number])[] = [];

test("[TUI-11] widths agree with the library's but for a list of differences", () => {
  const texts = [
    "a",
    "日",
    FAMILY,
    "🇩🇪",
    "👋🏽",
    "❤\ufe0f",
    "❤",
    "1\ufe0f\u20e3",
    "e\u0301",
    "한",
    "\u1112\u1161\u11ab",
  ];
  const more = [
    "क्षि",
    "กำ",
    "שלום",
    "سَلام",
    "…",
    "─",
    "©",
    "™\ufe0f",
    "🏴\u{e0067}\u{e007f}",
    "ｶﾞ",
    "\u{1f1eb}",
    "𓀀",
  ];
  const found = [...texts, ...more]
    .map((text) => [text, displayWidth(text), visibleWidth(text)] as const)
    .filter(([, ours, theirs]) => ours !== theirs);
  expect(found).toEqual([...DIFFERENT]);
});
