import type { SearchPosition } from "../scan.ts";

/**
 * A kind of secrets with a mark of their own, and functions to define one.
 *
 * Matching takes time linear in any text: a failed candidate has inspected a bounded number of characters, and a
 * successful one is consumed.
 */
export interface Family {
  /** Name in the marker: «redacted:KIND». */
  readonly kind: string;
  /** A secret begins with one of these, or directly follows one. */
  readonly prefixes: readonly string[];
  /** True if the prefix also counts after a letter or digit. */
  readonly anywhere?: true;
  /** Quick check of a frequent prefix. Returns false if it cannot begin a secret. */
  likely?(text: string, at: number, floor: number): boolean;
  match(place: SearchPosition, prefix: string): SecretMatch;
}

/** `undecided`: the text ends too early; the caller asks again with more of it. */
export type SecretMatch =
  | { readonly kind: "secret"; readonly from: number; readonly to: number }
  | { readonly kind: "no" }
  | { readonly kind: "undecided" };

export const SECRET_CHARACTERS_MAX = 8_192;
/** Number of characters that decide, so that a refused candidate costs no more. */
export const DECISION_CHARACTERS = 48;

export const NO: SecretMatch = { kind: "no" };
export const UNDECIDED: SecretMatch = { kind: "undecided" };

/** Text right before a marker was longer originally; it is judged the same way now. */
export const MARKER_START = "«";

export type Run = (text: string, from: number, charactersMax: number) => number;

/** Returns a function that finds the end of a run of these characters. */
export function characterRun(characters: string): Run {
  const patterns = new Map<number, RegExp>();
  return (text, from, charactersMax) => {
    const pattern = patterns.get(charactersMax) ?? new RegExp(`${characters}{0,${charactersMax}}`, "y");
    patterns.set(charactersMax, pattern);
    pattern.lastIndex = from;
    return pattern.test(text) ? pattern.lastIndex : from;
  };
}

export const WORD = characterRun("[A-Za-z0-9_]");
export const DASHED = characterRun("[A-Za-z0-9_-]");
export const DOTTED = characterRun("[A-Za-z0-9_.-]");
export const PADDED = characterRun("[A-Za-z0-9_=-]");
export const BASE64 = characterRun("[A-Za-z0-9+/=_-]");

export type Accept = (body: string) => boolean;

/** Defines a prefix and at least `bodyMin` characters; the first of them must look random, not like a placeholder. */
export function tokenFamily(
  kind: string,
  prefixes: readonly string[],
  [characters, bodyMin, accept = () => true]: readonly [Run, number, Accept?],
): Family {
  const look = Math.max(bodyMin, DECISION_CHARACTERS);
  return {
    kind,
    prefixes,
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const seen = characters(text, start, look);
      if (seen === text.length && !complete && seen < start + look) return UNDECIDED;
      if (seen - start < bodyMin) return NO;
      const body = text.slice(start, seen);
      if (!accept(body) || isFilled(body)) return NO;
      return endOfToken(text, at, { start, characters, complete });
    },
  };
}

/** Returns the secret from `at` to the end of its characters. Dots and dashes at the end belong to the sentence. */
export function endOfToken(
  text: string,
  at: number,
  {
    start,
    characters,
    complete,
  }: { readonly start: number; readonly characters: Run; readonly complete: boolean },
): SecretMatch {
  const end = characters(text, start, SECRET_CHARACTERS_MAX);
  if (end === text.length && !complete && end < start + SECRET_CHARACTERS_MAX) return UNDECIDED;
  return { kind: "secret", from: at, to: start + text.slice(start, end).replace(/[.-]+$/, "").length };
}

/** Defines a prefix and exactly `length` characters, then one of another kind. */
export function exactFamily(
  kind: string,
  prefixes: readonly string[],
  [characters, length, accept = () => true]: readonly [Run, number, Accept?],
): Family {
  return {
    kind,
    prefixes,
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const end = characters(text, start, length + 1);
      if (end === text.length && !complete && end <= start + length) return UNDECIDED;
      const body = text.slice(start, end);
      if (text[end] === MARKER_START) return NO;
      if (body.length !== length || !accept(body) || isPlaceholder(body)) return NO;
      return { kind: "secret", from: at, to: end };
    },
  };
}

/** Defines a prefix and a run of at most `charactersMax` characters that match a pattern as a whole. */
export function patternFamily(
  kind: string,
  prefixes: readonly string[],
  [characters, charactersMax, shape, accept = isNoStandIn]: readonly [Run, number, RegExp, Accept?],
): Family {
  return {
    kind,
    prefixes,
    match({ text, at, complete }, prefix) {
      const start = at + prefix.length;
      const end = characters(text, start, charactersMax + 1);
      if (end === text.length && !complete && end <= start + charactersMax) return UNDECIDED;
      if (text[end] === MARKER_START) return NO;
      const body = text.slice(start, end).replace(/[.-]+$/, "");
      if (body.length > charactersMax || !shape.test(body) || !accept(body)) return NO;
      return { kind: "secret", from: at, to: start + body.length };
    },
  };
}

export function hasDigit(body: string): boolean {
  return /\d/.test(body);
}

function isNoStandIn(body: string): boolean {
  return !isFilled(body);
}

const DISTINCT_MIN = 6;
const SAME_LETTER_MAX = 6;
const ZEROS_MAX = 9;
const ALPHABET_CHARACTERS = 26;
const COUNTED_DIGITS_MAX = 13;
const [ZERO, NINE] = [48, 57];

/** Returns true for placeholders of documentation: `xxxx…`, `aaaa…`, the alphabet, counting. */
export function isPlaceholder(body: string): boolean {
  return isFilled(body) || isMonotonous(body);
}

/**
 * Returns true if at least half of a text is filler: `xxxx…`, `0000…`, counting. After an issuer's mark,
 * or the name of a secret, the alphabet is no filler: it has the length and the characters of a real
 * token (docs/decisions/0008-what-looks-whole-is-redacted.md).
 */
export function isFilled(body: string): boolean {
  if (!hasDistinct(body)) return true;
  if (!SEEMS_FILLED.test(body)) return false;
  const rest = body.replaceAll(FILLING, "");
  return rest.length * 2 <= body.length || !hasDistinct(rest);
}

const SEEMS_FILLED = /([A-Za-z])\1{6}|0{10}|01234567890123|12345678901234/i;
const FILLING = /([A-Za-z])\1{3,}|0{10,}|(?:01234567890123|12345678901234)\d*/gi;

function hasDistinct(body: string): boolean {
  const seen = [0, 0, 0, 0];
  let distinct = 0;
  for (let at = 0; at < body.length; at++) {
    const code = body.charCodeAt(at) & 127;
    const word = seen[code >> 5] ?? 0;
    const bit = 1 << (code & 31);
    if ((word & bit) !== 0) continue;
    distinct++;
    if (distinct === DISTINCT_MIN) return true;
    seen[code >> 5] = word | bit;
  }
  return false;
}

/** Returns true for one repeated character, or characters in order. */
function isMonotonous(body: string): boolean {
  let before = 0;
  let same = 0; // lengths of the repetition and of the sequence that end here
  let ordered = 0;
  for (let at = 0; at < body.length; at++) {
    const exact = body.charCodeAt(at);
    const letter = isLetterCode(exact);
    const code = letter ? exact | 32 : exact;
    same = code === before ? same + 1 : 1;
    ordered = code === before + 1 || (code === ZERO && before === NINE) ? ordered + 1 : 1;
    before = code;
    if (letter && (same > SAME_LETTER_MAX || ordered >= ALPHABET_CHARACTERS)) return true;
    if (code === ZERO && same > ZEROS_MAX) return true;
    if (ordered > COUNTED_DIGITS_MAX && code >= ZERO && code <= NINE) return true;
  }
  return false;
}

function isLetterCode(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
