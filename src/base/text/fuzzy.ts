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
/** No match. A score loses at most `GAP` for each character, so that half of it is below any real one. */
const NEVER = -1_000_000_000;
/** Limit for a text; a longer one never matches. */
const TEXT_UNITS_MAX = 4_096;
/** Limit for a pattern; a longer one matches nothing. */
const PATTERN_UNITS_MAX = 256;

const SLASH = 47;
const BACKSLASH = 92;

/** A text with the form that is compared. */
export interface FuzzyText {
  readonly text: string;
  /** Folded by `foldCase`. */
  readonly folded: string;
}

/** The best matches of a list. */
export interface FuzzyMatches {
  /** Indices in the list: the highest score first, then the shorter text, then the order of the list. */
  readonly best: readonly number[];
  /** Number of texts that match. */
  readonly matches: number;
}

/** Returns a text in lower case with the same length, so that indices in both agree. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

/**
 * Returns a function that scores a text: undefined unless it has all characters of the pattern in their order, without
 * regard to case. A higher score is a better match: characters in a row, at the beginning of a path segment, of a word
 * or of a camel hump, and in the last segment of a path count most. The score is the best of all ways to match.
 */
export function fuzzyScorer(pattern: string): (candidate: FuzzyText) => number | undefined {
  const folded = foldCase(pattern);
  const length = folded.length;
  const bonuses = new Int32Array(TEXT_UNITS_MAX);
  // For the previous and the current character of the pattern: the best score that ends at an index, and up to it.
  let [ends, reached] = [new Int32Array(TEXT_UNITS_MAX), new Int32Array(TEXT_UNITS_MAX)];
  let [nextEnds, nextReached] = [new Int32Array(TEXT_UNITS_MAX), new Int32Array(TEXT_UNITS_MAX)];

  return function scoreOf({ text, folded: within }) {
    if (length > PATTERN_UNITS_MAX || text.length > TEXT_UNITS_MAX) return undefined;
    if (length === 0) return 0;
    const start = firstIfWithin(folded, within);
    if (start === -1) return undefined;
    setBonuses(bonuses, text, start);
    let top = NEVER;
    for (let typed = 0; typed < length; typed += 1) {
      top = NEVER;
      const unit = folded.charCodeAt(typed);
      let best = NEVER;
      for (let at = start; at < text.length; at += 1) {
        let end = NEVER;
        if (within.charCodeAt(at) === unit) {
          const before = previous(typed, at - start, { ends, reached, at });
          if (before > NEVER) end = before + MATCH + (bonuses[at] ?? 0);
        }
        best = Math.max(end, best - GAP);
        top = Math.max(top, end);
        nextEnds[at] = end;
        nextReached[at] = best;
      }
      [ends, nextEnds] = [nextEnds, ends];
      [reached, nextReached] = [nextReached, reached];
    }
    return top;
  };
}

/** Returns the indices of the best matches in a list, at most `limit`. An empty pattern matches every text. */
export function fuzzyBest(pattern: string, texts: readonly FuzzyText[], limit: number): FuzzyMatches {
  const scoreOf = fuzzyScorer(pattern);
  const best: { readonly index: number; readonly score: number; readonly length: number }[] = [];
  let matches = 0;
  for (const [index, candidate] of texts.entries()) {
    const score = scoreOf(candidate);
    if (score === undefined) continue;
    matches += 1;
    const { length } = candidate.text;
    let at = best.length;
    for (; at > 0; at -= 1) {
      const above = best[at - 1];
      if (above === undefined || above.score > score) break;
      if (above.score === score && above.length <= length) break;
    }
    if (at >= limit) continue;
    best.splice(at, 0, { index, score, length });
    if (best.length > limit) best.pop();
  }
  return { best: best.map(({ index }) => index), matches };
}

/** Returns the index of the first character of the pattern; -1 unless all follow in their order. */
function firstIfWithin(pattern: string, text: string): number {
  const first = text.indexOf(pattern.charAt(0));
  let at = first;
  for (let typed = 1; at !== -1 && typed < pattern.length; typed += 1)
    at = text.indexOf(pattern.charAt(typed), at + 1);
  return at === -1 ? -1 : first;
}

/** Returns the best score before a character is matched at `at`; `NEVER` if the ones before cannot be matched. */
function previous(
  typed: number,
  offset: number,
  { ends, reached, at }: { readonly ends: Int32Array; readonly reached: Int32Array; readonly at: number },
): number {
  if (typed === 0) return 0;
  if (offset === 0) return NEVER;
  const [adjacent = NEVER, any = NEVER] = [ends[at - 1], reached[at - 1]];
  return Math.max(adjacent === NEVER ? NEVER : adjacent + CONSECUTIVE, any < NEVER / 2 ? NEVER : any);
}

function setBonuses(bonuses: Int32Array, text: string, start: number): void {
  const end = text.endsWith("/") ? text.length - 1 : text.length;
  const name = text.lastIndexOf("/", end - 1) + 1;
  for (let at = start; at < text.length; at += 1)
    bonuses[at] = startBonus(text, at) + (at >= name ? IN_NAME : 0);
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
