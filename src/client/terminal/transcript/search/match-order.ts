import type { TranscriptRange } from "../../../../view/transcript/pages.ts";
import type { PartLocation, RowLocation } from "../place.ts";
import { comparePlaces } from "../place.ts";
import type { FoundPart } from "./search-scan.ts";
import { hasRangeBetween } from "./searched-ranges.ts";

/** A match, by its part and its number in it from 0. */
export interface FoundMatch extends PartLocation {
  readonly index: number;
}

/** Matches of a search that may not have ended. */
export interface KnownMatches {
  /** Parts with matches, from the top. */
  readonly found: readonly FoundPart[];
  /** Parts of the session that are still to be searched. */
  readonly pending: readonly TranscriptRange[];
}

/**
 * Returns the first match from a row on, or else the last one before it. Returns undefined if there is none, or if a
 * nearer one may stand in what is still to be searched.
 * @param next the part of the transcript that is searched next; undefined: all loaded ones were.
 * @param firstIndex returns the number of the first match of a part that is not above a row of it; -1 for none.
 */
export function firstMatch(
  { found, pending }: KnownMatches,
  origin: RowLocation,
  next: PartLocation | undefined,
  firstIndex: (place: PartLocation, row: number) => number,
): FoundMatch | undefined {
  if (next !== undefined && comparePlaces(next, origin) >= 0) return undefined;
  const behind = found.filter(({ place }) => comparePlaces(place, origin) >= 0);
  for (const { place } of behind) {
    const index = firstIndex(place, comparePlaces(place, origin) === 0 ? origin.row : 0);
    if (index < 0) continue;
    return hasRangeBetween(pending, origin.event, place.event) ? undefined : { ...place, index };
  }
  if (hasRangeBetween(pending, origin.event, Number.POSITIVE_INFINITY)) return undefined;
  const before = found.findLast(({ place }) => comparePlaces(place, origin) < 0);
  if (before !== undefined)
    return hasRangeBetween(pending, before.place.event, origin.event)
      ? undefined
      : { ...before.place, index: before.count - 1 };
  const isAllKnown = next === undefined && pending.length === 0;
  return isAllKnown && behind[0] !== undefined ? { ...behind[0].place, index: 0 } : undefined;
}

/**
 * Returns the match behind the current one, or before it; around the ends. `none`: there is none. `unknown`: what is
 * still to be searched may have it.
 */
export function nextMatch(
  { found, pending }: KnownMatches,
  current: FoundMatch | undefined,
  by: -1 | 1,
): FoundMatch | "none" | "unknown" {
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return pending.length === 0 ? "none" : "unknown";
  const at = current === undefined ? -1 : found.findIndex(({ place }) => comparePlaces(place, current) === 0);
  const here = found[at];
  if (current !== undefined && here !== undefined) {
    const index = Math.min(current.index, here.count - 1) + by;
    if (index >= 0 && index < here.count) return { ...here.place, index };
  }
  const near = by > 0 ? found[at + 1] : found[at - 1];
  const next = near ?? (by > 0 ? first : last);
  const isKnown =
    here === undefined || near === undefined
      ? pending.length === 0
      : !hasRangeBetween(pending, here.place.event, near.place.event);
  return isKnown ? { ...next.place, index: by > 0 ? 0 : next.count - 1 } : "unknown";
}
