import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import {
  clustersOf,
  clusterWidth,
  cutBeginning,
  cutEnd,
  displayWidth,
  firstCluster,
  fittingHead,
} from "./display-width.ts";

const FAMILY = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
/** Characters of which the second source counts others: most terminals are as this client here. */
const OTHERWISE: readonly (readonly [why: string, characters: RegExp])[] = [
  ["signs before digits have a glyph", /^[\u0600-\u0605\u06dd\u070f\u08e2]$/],
  ["letters that another source takes for marks", /^[\u0980\u0c80\u0d3a]$/],
  ["vowels beside a consonant have a column in tmux, xterm and VTE", /^\p{Mc}$/u],
  ["half a flag is as wide as a flag", /^\p{Regional_Indicator}$/u],
  ["a keycap without its digit covers nothing", /^\u20e3$/],
  ["fillers have no glyph", /^[\u115f\u3164\uffa0]$/],
  ["circled numbers are wide in tmux and glibc", /^[\u3248-\u324f]$/],
];

test("[TUI-11] joined emoji, flags and keycaps take two columns, marks none, joined letters one each", () => {
  for (const [text, width] of [
    [FAMILY, 2],
    ["🇩🇪", 2],
    ["👋🏽", 2],
    ["🏴‍☠️", 2],
    ["❤", 1],
    ["❤\ufe0f", 2],
    ["1\ufe0f\u20e3", 2],
    ["e\u0301\u0302", 1],
    ["\u0301", 0],
    ["日本", 4],
    ["한", 2],
    ["\u1112\u1161\u11ab", 2],
    ["क्षि", 3],
    ["กำ", 2],
    ["שָׁלוֹם", 4],
    ["سَلام", 4],
    ["\u2067ש\u2069", 1],
    ["…─│●", 4],
  ] as const)
    expect([text, displayWidth(text)]).toEqual([text, width]);
});

test("[TUI-11] the width of each character agrees with a second source, but for a list with reasons", () => {
  const different: string[] = [];
  const listed = new Set<string>();
  for (let code = 0xa0; code < 0x110000; code += 1) {
    const character = String.fromCodePoint(code);
    if (/^[\p{Cn}\p{Co}\p{Cs}]$/u.test(character) || clusterWidth(character) === Bun.stringWidth(character))
      continue;
    const reason = OTHERWISE.find(([, characters]) => characters.test(character));
    if (reason === undefined) different.push(code.toString(16));
    else listed.add(reason[0]);
  }
  expect(different).toEqual([]);
  expect([...listed].toSorted()).toEqual(OTHERWISE.map(([why]) => why).toSorted());
});

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(FAMILY, "🇩🇪", "👋🏽", "e\u0301", "日", "क्षि", "שלום", "a b", "\u0301"),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(""));

test("[TUI-11] a cut line fits, is the longest that does, and ends and begins between two characters", async () => {
  const property = fc.property(text, fc.nat(40), (line, columns) => {
    const head = fittingHead(line, columns);
    expect(line.startsWith(head)).toBe(true);
    expect(displayWidth(head)).toBeLessThanOrEqual(columns);
    const next = firstCluster(line.slice(head.length));
    if (next !== "") expect(displayWidth(head) + displayWidth(next)).toBeGreaterThan(columns);
    let at = 0;
    const borders = [0, ...Array.from(clustersOf(line), ({ segment }) => (at += segment.length))];
    expect(borders).toContain(head.length);
    for (const cut of [cutEnd(line, columns), cutBeginning(line, columns)]) {
      expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
      if (!cut.includes("…")) expect([line, ""]).toContain(cut);
    }
  });
  await holds(property, 1_000);
});

test("[TUI-11] the first character of a long text is whole, also with more marks than are read at first", () => {
  const marked = `a${"\u0301".repeat(500)}`;
  expect(firstCluster(`${marked}b`)).toBe(marked);
  expect(firstCluster("")).toBe("");
});
