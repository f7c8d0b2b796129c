import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import type { Direction } from "./bidi.ts";
import { directionOf, RIGHT_RUNS, visualOrder } from "./bidi.ts";
import { clustersOf } from "./display-width.ts";

function clusters(text: string): readonly string[] {
  return Array.from(clustersOf(text), ({ segment }) => segment);
}

/** Returns a text as a reader sees it from the left to the right. */
function seen(text: string, direction: Direction): string {
  return visualOrder(clusters(text), direction)
    .map((cluster) => cluster.text)
    .join("");
}

test("[TUI-11 complaint 23] words of both directions are seen in the order of Unicode's algorithm", () => {
  for (const [text, direction, expected] of [
    ["abc אבג def", "ltr", "abc גבא def"],
    ["אבג abc דהו", "rtl", "והד abc גבא"],
    ["אב 12 גד", "rtl", "דג 12 בא"],
    ["אב 12", "ltr", "12 בא"],
    ["price 12 אב", "ltr", "price 12 בא"],
    ["א (ב) ג", "rtl", "ג (ב) א"],
    ["سعر 1,5", "rtl", "1,5 رعس"],
    ["+5 אב", "rtl", "בא 5+"],
    ["5% אב", "rtl", "בא 5%"],
    ["אב.", "rtl", ".בא"],
    ["abc.", "rtl", ".abc"],
    ["אב  ", "rtl", "  בא"],
    ["של\u05b8ום", "rtl", "םול\u05b8ש"],
    ["שלום abc (12)", "rtl", "abc (12) םולש"],
    ["אב (ab) גד", "rtl", "דג (ab) בא"],
    ["ab (אב) cd", "ltr", "ab (בא) cd"],
    ["(אב] cd", "ltr", "(בא] cd"],
  ] as const)
    expect([text, seen(text, direction)]).toEqual([text, expected]);
});

test("[TUI-11 complaint 23] the first letter gives a paragraph its direction", () => {
  expect(["שלום abc", "12. שלום", "- שלום"].map(directionOf)).toEqual(["rtl", "rtl", "rtl"]);
  expect(["abc שלום", "12", "", "… ×"].map(directionOf)).toEqual(["ltr", "ltr", "ltr", "ltr"]);
});

test("[TUI-11 complaint 23] a run of right-to-left words ends at other letters, at separators of fields and at wide gaps", () => {
  const runs = (text: string) => text.match(RIGHT_RUNS) ?? [];
  expect(runs("see שלום 12 עולם, then more")).toEqual(["שלום 12 עולם"]);
  expect(runs("שלום · עולם")).toEqual(["שלום", "עולם"]);
  expect(runs("שלום  עולם")).toEqual(["שלום", "עולם"]);
  expect(runs("/tmp/שלום/עולם 12")).toEqual(["שלום", "עולם"]);
  expect(runs("plain")).toEqual([]);
});

test("[TUI-11 complaint 23] no cluster is lost, doubled or divided, whatever the text", async () => {
  const piece = fc.oneof(
    fc.constantFrom("א", "ب", "a", "1", "٣", " ", "(", ")", "+", ",", "%", "🇩🇪", "e\u0301", "של\u05b8"),
    fc.string({ unit: "grapheme", maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  const property = fc.property(text, fc.constantFrom("ltr" as const, "rtl" as const), (given, direction) => {
    const all = clusters(given);
    const order = visualOrder(all, direction).map(({ index }) => index);
    expect(order.toSorted((one, two) => one - two)).toEqual([...all.keys()]);
  });
  await holds(property, 500);
});
