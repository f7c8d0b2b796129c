/** Points for each typed character that a text has. */
const MATCH = 16;
/** Points for a character right behind the previous matched one. */
const CONSECUTIVE = 12;
/** Points for a character at the beginning of a path segment, of a word, of a camel hump. */
const SEGMENT_START = 14;
const WORD_START = 10;
const HUMP_START = 9;
/** Points for a character in the last segment of a path. */
const IN_NAME = 3;
/** Points lost for each character between two matched ones. */
const GAP = 1;
/** Below any score. */
const NEVER = -1_000_000_000;
/** Limit for a text; a longer one never matches. */
const TEXT_UNITS_MAX = 4_096;
/** Limit for a pattern; a longer one matches nothing. */
const PATTERN_UNITS_MAX = 256;

/** Mask of a code unit: the number of its bit among 32. */
const BITS = 31;
const SLASH = 47;
const BACKSLASH = 92;

/** A text, prepared for many comparisons by `fuzzyText`. */
export interface FuzzyText {
  readonly text: string;
  /** In lower case, where that has the same length. */
  readonly folded: string;
  /** One bit for each character that it has; several characters share one. */
  readonly units: number;
  /** Index of the last segment of a path. */
  readonly name: number;
}

/** The best matches of a list. */
export interface FuzzyMatches {
  /** Indices in the list: the highest score first, then the shorter text, then the order of the list. */
  readonly best: readonly number[];
  /** Indices of all texts that match, in the order of the list. */
  readonly all: readonly number[];
}

/** Prepares a text to be compared. A slash at its end belongs to the last segment. */
export function fuzzyText(text: string): FuzzyText {
  const folded = foldCase(text);
  const end = text.endsWith("/") ? text.length - 1 : text.length;
  return { text, folded, units: unitsOf(folded), name: text.lastIndexOf("/", end - 1) + 1 };
}

/**
 * Returns a function that scores a text: undefined unless it has all characters of the pattern in their order, without
 * regard to case. A higher score is a better match: characters in a row, at the beginning of a path segment, of a word
 * or of a camel hump, and in the last segment of a path count most. The score is the best of all ways to match.
 */
export function fuzzyScorer(pattern: string): (candidate: FuzzyText) => number | undefined {
  const folded = foldCase(pattern);
  const wanted = unitsOf(folded);
  // The places of one character of the pattern, each with the best score of all ways to match that end there.
  let ends = newEnds();
  let next = newEnds();

  return function scoreOf(candidate) {
    if (folded.length > PATTERN_UNITS_MAX || candidate.text.length > TEXT_UNITS_MAX) return undefined;
    if ((candidate.units & wanted) !== wanted) return undefined;
    if (folded.length === 0) return 0;
    let top = NEVER;
    for (let typed = 0; typed < folded.length; typed += 1) {
      top = placeUnit(folded.charAt(typed), candidate, typed === 0 ? undefined : ends, next);
      if (top === NEVER) return undefined;
      const done = next;
      next = ends;
      ends = done;
    }
    return top;
  };
}

/** Places of one character of the pattern in a text. */
interface Ends {
  count: number;
  readonly at: Int32Array;
  readonly score: Int32Array;
}

function newEnds(): Ends {
  return { count: 0, at: new Int32Array(TEXT_UNITS_MAX), score: new Int32Array(TEXT_UNITS_MAX) };
}

/**
 * Finds the places of a character behind those of the one before, and writes them to `into`. Returns the best score;
 * `NEVER` if there is no place.
 */
function placeUnit(
  unit: string,
  { text, folded, name }: FuzzyText,
  before: Ends | undefined,
  into: Ends,
): number {
  let count = 0;
  let top = NEVER;
  let passed = 0; // places of the character before that lie in front
  let best = NEVER; // of these: the best score, without the gap that grows with the distance
  const start = before === undefined ? 0 : (before.at[0] ?? 0) + 1;
  for (let at = folded.indexOf(unit, start); at !== -1; at = folded.indexOf(unit, at + 1)) {
    let score = 0;
    if (before !== undefined) {
      let adjacent = NEVER;
      for (; passed < before.count; passed += 1) {
        const place = before.at[passed] ?? 0;
        if (place >= at) break;
        const reached = before.score[passed] ?? 0;
        if (reached + GAP * place > best) best = reached + GAP * place;
        if (place === at - 1) adjacent = reached + CONSECUTIVE;
      }
      const apart = best - GAP * (at - 1);
      score = adjacent > apart ? adjacent : apart;
    }
    score += MATCH + startBonus(text, at) + (at >= name ? IN_NAME : 0);
    into.at[count] = at;
    into.score[count] = score;
    count += 1;
    if (score > top) top = score;
  }
  into.count = count;
  return top;
}

/**
 * Returns the best matches of a list, at most `limit`. An empty pattern matches every text.
 *
 * @param among indices of texts that are compared; default: all. Matches of a pattern are among those of its beginning.
 */
export function fuzzyBest(
  pattern: string,
  texts: readonly FuzzyText[],
  { limit, among = [...texts.keys()] }: { readonly limit: number; readonly among?: readonly number[] },
): FuzzyMatches {
  const scoreOf = fuzzyScorer(pattern);
  const best: Ranked[] = [];
  const all: number[] = [];
  for (const index of among) {
    const candidate = texts[index];
    const score = candidate && scoreOf(candidate);
    if (candidate === undefined || score === undefined) continue;
    all.push(index);
    if (best.length === limit && isBehind(score, candidate.text.length, best[limit - 1])) continue;
    rank({ index, score, length: candidate.text.length }, best, limit);
  }
  return { best: best.map(({ index }) => index), all };
}

interface Ranked {
  readonly index: number;
  readonly score: number;
  readonly length: number;
}

/** Returns true for a match that comes later in the list and is no better. */
function isBehind(score: number, length: number, last: Ranked | undefined): boolean {
  return last !== undefined && (score < last.score || (score === last.score && length >= last.length));
}

/** Puts a match in its place among the best: behind those of an equal score and length. */
function rank(match: Ranked, best: Ranked[], limit: number): void {
  let at = best.length;
  for (; at > 0; at -= 1) {
    const above = best[at - 1];
    if (above === undefined || above.score > match.score) break;
    if (above.score === match.score && above.length <= match.length) break;
  }
  if (at >= limit) return;
  best.splice(at, 0, match);
  if (best.length > limit) best.pop();
}

/** Returns a text in lower case with the same length, so that indices in both agree. */
function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/** Returns one bit for each character of a text, so that most texts without a character are passed over at once. */
function unitsOf(folded: string): number {
  let units = 0;
  for (let at = 0; at < folded.length; at += 1) units |= 1 << (folded.charCodeAt(at) & BITS);
  return units;
}

function startBonus(text: string, at: number): number {
  if (at === 0) return SEGMENT_START;
  const [before, unit] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (before === SLASH || before === BACKSLASH) return SEGMENT_START;
  if (!isWord(before)) return isWord(unit) ? WORD_START : 0;
  if (isUpper(unit) && !isUpper(before)) return HUMP_START;
  return isDigit(unit) && !isDigit(before) ? HUMP_START : 0;
}

function isUpper(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** Letters and digits of ASCII, and everything beyond it. */
function isWord(unit: number): boolean {
  return isUpper(unit) || isDigit(unit) || (unit >= 97 && unit <= 122) || unit > 127;
}
