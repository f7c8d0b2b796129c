import { isChip } from "./chips.ts";

let segmenter: Intl.Segmenter | undefined;

/** Units that are searched before a place for one where every segmentation has a border. */
const LOOK_BACK_UNITS = 4_096;
/** Units in which the next grapheme usually ends. */
const NEAR_UNITS = 64;
/** A character beside which a grapheme ends if its neighbour is one too: ASCII without controls, and ideographs. */
const SIMPLE = /^[\n\x20-\x7e\u4e00-\u9fff]$/;
const NEXT_WORD =
  /[^\p{L}\p{N}\p{M}_\u{10ff00}-\u{10ffc7}]*(?:[\p{L}\p{N}\p{M}_]+|[\u{10ff00}-\u{10ffc7}])?/uy;
const WORD = /^[\p{L}\p{N}\p{M}_]$/u;

/** Iterates the graphemes of a text with their places. */
export function graphemesOf(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Returns a border of graphemes at or before `at`, at most `LOOK_BACK_UNITS` away. */
function safeBorder(text: string, at: number): number {
  const least = Math.max(0, at - LOOK_BACK_UNITS);
  for (let place = at; place > least; place -= 1)
    if (SIMPLE.test(text[place - 1] ?? "") && (place === text.length || SIMPLE.test(text[place] ?? "")))
      return place;
  return least > 0 && isInside(text, least) ? least + 1 : least;
}

/** Returns true between the two units of one code point. */
function isInside(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1));
}

/** Returns the border of graphemes before a place; 0 at the beginning. */
export function before(text: string, at: number): number {
  if (at <= 0) return 0;
  const from = safeBorder(text, at - 1);
  let last = from;
  for (const { index } of graphemesOf(text.slice(from, at))) last = from + index;
  return last;
}

/** Returns the border of graphemes behind a border. */
export function after(text: string, at: number): number {
  for (let units = NEAR_UNITS; ; units *= 4) {
    const near = text.slice(at, at + units);
    const [first] = graphemesOf(near);
    const length = first?.segment.length ?? 0;
    if (length < near.length || at + units >= text.length) return at + length;
  }
}

/** Returns a place itself if it is a border of graphemes, else the next border. */
export function bordered(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  let border = safeBorder(text, at);
  while (border < at) border = after(text, border);
  return border;
}

/** Returns the code point before a place as a text; empty at the beginning. */
function characterBefore(text: string, at: number): string {
  return isInside(text, at - 1) ? text.slice(at - 2, at) : text.slice(Math.max(0, at - 1), at);
}

/** Returns true for a character of a word: a letter, digit, mark or underscore. */
export function isWord(character: string): boolean {
  return WORD.test(character);
}

/** Returns the start of the word before a place. A chip is a word. */
export function wordBefore(text: string, at: number): number {
  let place = at;
  let character = characterBefore(text, place);
  while (character !== "" && !isWord(character)) {
    place -= character.length;
    if (isChip(character)) return place;
    character = characterBefore(text, place);
  }
  while (isWord(character)) {
    place -= character.length;
    character = characterBefore(text, place);
  }
  const border = bordered(text, place);
  return border === place ? place : before(text, border);
}

/** Returns the end of the word behind a place. A chip is a word. */
export function wordAfter(text: string, at: number): number {
  NEXT_WORD.lastIndex = at;
  return bordered(text, at + (NEXT_WORD.exec(text)?.[0].length ?? 0));
}

/** Returns the start of the line of a place. */
export function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Returns the end of the line of a place, before its line break. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}
