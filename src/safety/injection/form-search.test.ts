import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { FormSearch } from "./form-search.ts";
import { INJECTION_SHAPES } from "./injection-shapes.ts";

const MAX = 20;

/** Matches each pattern as one regular expression over the whole text: what the search replaces. */
function byMatchAll(patterns: readonly (readonly string[])[], text: string): readonly (readonly string[])[] {
  return patterns.map((forms) => {
    const whole = new RegExp(forms.map((form) => `(?:${form})`).join("|"), "giu");
    return [...text.matchAll(whole)].slice(0, MAX).map(([match]) => match);
  });
}

const SHAPES = INJECTION_SHAPES.map(({ forms }) => forms);

test("[TOFU-03] property: forms and texts of random pieces give the matches of matchAll", () => {
  const atom = fc.constantFrom(
    ..."absk_1",
    ..." ",
    "ab ",
    "\\.",
    "\\b",
    "\\w",
    "\\S",
    ".",
    "[ab]",
    "[^a]",
    "[a\\]|(]",
    "ß",
    "\\n",
    "(?=b)",
    "(?!a)",
    "(?<=a)",
    "(?<!b )",
  );
  const quantified = fc.tuple(atom, fc.constantFrom("", "", "", "?", "{0,2}", "{2}", "*?", "+"));
  const piece = quantified.map(([each, how]) =>
    /^(?:\\b|\(\?)/.test(each)
      ? each
      : `${each.length > 1 && !/^[\\[.]/.test(each) ? `(?:${each})` : each}${how}`,
  );
  const sequence = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
  const group = fc
    .tuple(fc.array(sequence, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", "?", "{0,3}?"))
    .map(([options, how]) => `(?:${options.join("|")})${how}`);
  const branch = fc
    .tuple(
      fc.constantFrom("\\b", "\\b", ""),
      fc.array(fc.oneof(sequence, group), { minLength: 1, maxLength: 3 }),
    )
    .map(([start, parts]) => start + parts.join(""));
  const form = fc.array(branch, { minLength: 1, maxLength: 3 }).map((branches) => branches.join("|"));
  const patterns = fc.array(fc.array(form, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 });
  const character = fc.constantFrom(..."aaabbksAB_1 .\nß]|(", "\u017f", "\u212a", "\u{1f600}");
  const text = fc.array(character, { maxLength: 24 }).map((characters) => characters.join(""));
  void fc.assert(
    fc.property(patterns, text, (forms, searched) => {
      const nonEmpty = byMatchAll(forms, searched).every((found) => found.every((match) => match !== ""));
      fc.pre(nonEmpty);
      expect(new FormSearch(forms).search(searched, MAX)).toEqual(byMatchAll(forms, searched));
    }),
    { numRuns: 3_000 },
  );
});

test("[TOFU-03] property: the forms of injected commands give the matches of matchAll in shuffled attacks", () => {
  const attacks = readFileSync(join(import.meta.dir, "../../../test/data/injection/attacks.jsonl"), "utf8");
  const words = attacks.match(/\w+|[^\w]/gu) ?? [];
  const search = new FormSearch(SHAPES);
  const slice = fc
    .tuple(fc.nat(words.length - 1), fc.integer({ min: 1, max: 60 }))
    .map(([start, length]) => words.slice(start, start + length).join(""));
  void fc.assert(
    fc.property(fc.array(slice, { minLength: 1, maxLength: 8 }), (slices) => {
      const text = slices.join("");
      for (const spelling of [text, text.toUpperCase()])
        expect(search.search(spelling, MAX)).toEqual(byMatchAll(SHAPES, spelling));
    }),
    { numRuns: 300 },
  );
});

test("[TOFU-03] a form that may begin with anything is found anywhere, and the first form wins", () => {
  const patterns = [["\\bsend it", '"?\\bsend|<!--x'], ["\\b(?:the )?sandbox is off"], ["\\bi am"]];
  const text = 'resend it, "Send it <!--x; The sandbox is off, sandbox is off. I am';
  const found = [['"Send', "<!--x"], ["The sandbox is off", "sandbox is off"], ["I am"]];
  expect(new FormSearch(patterns).search(text, MAX)).toEqual(found);
  expect(new FormSearch(patterns).search(text, 1).map(({ length }) => length)).toEqual([1, 1, 1]);
});
