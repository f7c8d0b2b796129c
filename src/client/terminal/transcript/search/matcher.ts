/** A part of a text that matches, in units. */
export interface Match {
  readonly from: number;
  readonly to: number;
}

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Returns the pattern of a search; undefined for an empty one. Case counts only if the search has a capital letter.
 * Every character stands for itself.
 */
export function matcherOf(query: string): RegExp | undefined {
  if (query === "") return undefined;
  const isExact = query !== query.toLowerCase();
  return new RegExp(query.replaceAll(SPECIAL, "\\$&"), isExact ? "gu" : "giu");
}

/** Returns the matches in a text, from its beginning. */
export function matchesIn(text: string, matcher: RegExp): readonly Match[] {
  return Array.from(text.matchAll(matcher), ({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
}

/** Returns the number of matches in a text. */
export function countIn(text: string, matcher: RegExp): number {
  matcher.lastIndex = 0;
  let count = 0;
  while (matcher.test(text)) count += 1;
  return count;
}
