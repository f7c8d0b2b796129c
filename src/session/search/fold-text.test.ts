import { expect, test } from "bun:test";
import { foldedWords, foldText, shownText } from "./fold-text.ts";

const CODE_POINTS = Array.from({ length: 0x11_0000 }, (_, at) => at).filter(
  (at) => at < 0xd800 || at > 0xdfff,
);

/** The table of Unicode folds it to iota; the engine's regular expressions match it with the small iota alone. */
const PROSGEGRAMMENI = 0x1f_be;

test("[CTL-19] case folding is the simple one of Unicode, for every character", () => {
  const wrong: string[] = [];
  const classes = new Map<string, string[]>();
  for (const point of CODE_POINTS) {
    const character = String.fromCodePoint(point);
    const folded = foldText(character);
    if (folded.length !== character.length) wrong.push(`${point} has another length`);
    if (folded === character) continue;
    // The engine's own case-insensitive match uses simple folding.
    const escaped = `\\u{${folded.codePointAt(0)?.toString(16)}}`;
    if (!new RegExp(`^${escaped}$`, "iu").test(character)) wrong.push(`${point} is no other case`);
    classes.set(folded, [...(classes.get(folded) ?? []), character]);
  }
  for (const folded of classes.keys()) if (foldText(folded) !== folded) wrong.push(`${folded} folds again`);
  expect(wrong).toEqual([]);
});

test("[CTL-19] characters that match without case fold alike", () => {
  const wrong: string[] = [];
  for (const point of CODE_POINTS) {
    const character = String.fromCodePoint(point);
    for (const other of [character.toUpperCase(), character.toLowerCase()]) {
      if (other === character || [...other].length !== 1 || point === PROSGEGRAMMENI) continue;
      const matches = new RegExp(`^\\u{${point.toString(16)}}$`, "iu").test(other);
      if (matches !== (foldText(other) === foldText(character))) wrong.push(`${character} and ${other}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("[CTL-19] a text is compared in NFC, and positions stay", () => {
  expect(foldText(shownText("Cafe\u0301 ΣΑΣ ς İ ẞ"))).toBe("café σασ σ İ ß");
  expect(foldedWords("  Foo\tBAR\u00a0foo \n")).toEqual(["foo", "bar"]);
  expect(foldedWords(" \n")).toEqual([]);
});
