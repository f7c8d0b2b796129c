import type { EventSeq } from "../../../../base/ids.ts";
import type { TranscriptRange } from "../../../../view/transcript/pages.ts";
import type { Transcript } from "../../../../view/transcript/transcript.ts";
import { comparePlaces } from "../place.ts";
import type { FoundPart } from "./search-scan.ts";

/** Parts of a session that one search has looked through, and their matches: loaded ones, and those that are not. */
export class SearchedRanges {
  /** From the top, without overlaps. */
  #ranges: readonly TranscriptRange[] = [];
  #found: readonly FoundPart[] = [];

  /**
   * Adds parts with their matches. These replace what was known of the parts.
   * @param ranges from the top, without overlaps.
   * @param found matches; those outside of the parts are left out.
   */
  add(ranges: readonly TranscriptRange[], found: readonly FoundPart[]): void {
    const others = this.#found.filter(({ place }) => !isInOne(ranges, place.event));
    const inside = found.filter(({ place }) => isInOne(ranges, place.event));
    this.#found = fromTop([...others, ...inside]);
    this.#ranges = joined([...this.#ranges, ...ranges]);
  }

  /** Returns the parts of a transcript that are neither loaded nor looked through, from the top. */
  missing(transcript: Transcript): readonly TranscriptRange[] {
    return unloadedRanges(transcript).flatMap((range) => without(range, this.#ranges));
  }

  /** Returns the matches in the parts of a transcript that are not loaded, from the top. */
  unloadedMatches(transcript: Transcript): readonly FoundPart[] {
    if (this.#found.length === 0) return [];
    const unloaded = unloadedRanges(transcript);
    return this.#found.filter(({ place }) => isInOne(unloaded, place.event));
  }
}

/** Returns those of some matches that are in loaded parts of a transcript. */
export function loadedMatches(transcript: Transcript, found: readonly FoundPart[]): readonly FoundPart[] {
  const unloaded = unloadedRanges(transcript);
  return found.filter(({ place }) => !isInOne(unloaded, place.event));
}

/** Returns parts with matches from the top on. */
export function fromTop(found: readonly FoundPart[]): readonly FoundPart[] {
  return found.toSorted((one, two) => comparePlaces(one.place, two.place));
}

/** Returns true for an event in a part of a transcript that is not loaded. */
export function isUnloaded(transcript: Transcript, event: EventSeq): boolean {
  return isInOne(unloadedRanges(transcript), event);
}

/** Returns true if one of some parts lies between two events. */
export function hasRangeBetween(ranges: readonly TranscriptRange[], one: EventSeq, two: EventSeq): boolean {
  const [from, to] = [Math.min(one, two), Math.max(one, two)];
  return ranges.some(({ first, last }) => first <= to && last >= from);
}

function unloadedRanges({ segments }: Transcript): readonly TranscriptRange[] {
  return segments.filter(({ items }) => items === undefined);
}

/** Returns true for an event in one of some parts, which are in order: the work grows with their logarithm. */
function isInOne(ranges: readonly TranscriptRange[], event: EventSeq): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((ranges[middle]?.last ?? 0) < event) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range.first <= event;
}

/** Returns parts from the top on, those that touch as one. */
function joined(ranges: readonly TranscriptRange[]): readonly TranscriptRange[] {
  const parts: TranscriptRange[] = [];
  for (const { first, last } of ranges.toSorted((one, two) => one.first - two.first)) {
    const before = parts.at(-1);
    if (before === undefined || before.last + 1 < first) parts.push({ first, last });
    else parts[parts.length - 1] = { first: before.first, last: Math.max(before.last, last) };
  }
  return parts;
}

/** Returns what is left of a part without others, which are in order. */
function without(
  { first, last }: TranscriptRange,
  others: readonly TranscriptRange[],
): readonly TranscriptRange[] {
  const left: TranscriptRange[] = [];
  let from = first;
  for (const other of others) {
    if (other.last < from || other.first > last) continue;
    if (other.first > from) left.push({ first: from, last: other.first - 1 });
    from = other.last + 1;
  }
  return from <= last ? [...left, { first: from, last }] : left;
}
