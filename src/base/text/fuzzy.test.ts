import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { fuzzyBest, fuzzyScorer, fuzzyText } from "./fuzzy.ts";

const score = (pattern: string, text: string) => fuzzyScorer(pattern)(fuzzyText(text));
/** Returns the texts that match, the best first. */
const ranked = (pattern: string, ...texts: readonly string[]) =>
  fuzzyBest(pattern, texts.map(fuzzyText), { limit: texts.length }).best.map((at) => texts[at]);

const LETTERS = fc.string({ unit: fc.constantFrom("a", "b", "B", "c", "/", "-", "1"), maxLength: 12 });

/** Returns true if the characters of a pattern stand in a text in their order. */
function isWithin(pattern: string, text: string): boolean {
  let typed = 0;
  for (const unit of text.toLowerCase()) if (unit === pattern.toLowerCase()[typed]) typed += 1;
  return typed === pattern.length;
}

test("[CTL-19] the characters of a pattern match in their order, without regard to case", () => {
  expect(score("srv", "src/server.ts")).toBeDefined();
  expect(score("SRV", "src/server.ts")).toBe(score("srv", "SRC/SERVER.TS") ?? -1);
  expect(score("vrs", "src/server")).toBeUndefined();
  expect(score("aa", "a")).toBeUndefined();
  expect(score("", "any")).toBe(0);
  expect(score("a", "")).toBeUndefined();
});

test("[CTL-19] beginnings of segments, words and humps, and characters in a row, come first", () => {
  expect(ranked("main", "domain.ts", "src/main.ts")).toEqual(["src/main.ts", "domain.ts"]);
  expect(ranked("fi", "affix.ts", "file-index.ts")[0]).toBe("file-index.ts");
  expect(ranked("fi", "profit.ts", "my-index-file.ts")).toEqual(["my-index-file.ts", "profit.ts"]);
  expect(ranked("fb", "afab.ts", "fooBar.ts")[0]).toBe("fooBar.ts");
  expect(ranked("abc", "a1b1c1", "xxabc")).toEqual(["xxabc", "a1b1c1"]);
  expect(ranked("open", "open/readme.md", "readme/open.md")[0]).toBe("readme/open.md");
});

test("[CTL-19] of equal scores the shorter text comes first, then the order of the list", () => {
  expect(ranked("a", "a.txt", "a", "a.md")).toEqual(["a", "a.md", "a.txt"]);
  expect(ranked("a", "a2", "a1")).toEqual(["a2", "a1"]);
});

test("[CTL-19] the best way to match counts, wherever the first one ends", () => {
  // The first "ab" is spread over the beginning; the later one stands at the beginning of a segment.
  expect(score("ab", "xaxxb/ab")).toBe(score("ab", "xxxxx/ab") ?? -1);
});

test("[CTL-19] a text matches if, and only if, it has the pattern within", async () => {
  await holds(
    fc.property(LETTERS, LETTERS, (pattern, text) => {
      expect(score(pattern, text) !== undefined).toBe(isWithin(pattern, text));
    }),
  );
});

test("[CTL-19] text in front of a whole segment never raises its score, and more text behind never changes it", async () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 8 });
  await holds(
    fc.property(word, word, (pattern, text) => {
      const alone = score(pattern, text);
      fc.pre(alone !== undefined);
      expect(score(pattern, `${text}zz`)).toBe(alone);
      expect(score(pattern, `zz/${text}`)).toBe(alone);
    }),
  );
});

test("[CTL-19] the best of a list are those that sorting by score, length and place finds", async () => {
  await holds(
    fc.property(
      LETTERS,
      fc.array(LETTERS, { maxLength: 20 }),
      fc.integer({ min: 1, max: 5 }),
      (pattern, texts, limit) => {
        const all = texts
          .flatMap((text, index) => {
            const value = score(pattern, text);
            return value === undefined ? [] : [{ index, value, length: text.length }];
          })
          .sort((a, b) => b.value - a.value || a.length - b.length || a.index - b.index);
        const best = all.slice(0, limit).map(({ index }) => index);
        const expected = { best, all: all.map(({ index }) => index).sort((a, b) => a - b) };
        expect(fuzzyBest(pattern, texts.map(fuzzyText), { limit })).toEqual(expected);
      },
    ),
  );
});

test("[CTL-19] any two texts are compared without an error, and too long ones do not match", async () => {
  await holds(fc.property(fc.string(), fc.string(), (pattern, text) => void score(pattern, text)));
  expect(score("a", "a".repeat(4_096))).toBeDefined();
  expect(score("a", "a".repeat(4_097))).toBeUndefined();
  expect(score("a".repeat(257), "a".repeat(300))).toBeUndefined();
  expect(fuzzyText("İA").folded).toBe("İA");
});

test("[CTL-19] what a longer pattern matches is found among the matches of its beginning", async () => {
  await holds(
    fc.property(LETTERS, LETTERS, fc.array(LETTERS, { maxLength: 20 }), (begun, rest, list) => {
      const texts = list.map(fuzzyText);
      const { all: among } = fuzzyBest(begun, texts, { limit: 5 });
      const whole = fuzzyBest(begun + rest, texts, { limit: 5 });
      expect(fuzzyBest(begun + rest, texts, { limit: 5, among })).toEqual(whole);
    }),
  );
});
