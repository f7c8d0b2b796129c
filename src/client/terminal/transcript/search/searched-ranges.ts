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

  /** Adds a part with its matches. They replace what was known of it. */
  add(range: TranscriptRange, found: readonly FoundPart[]): void {
    const { first, last } = range;
    const others = this.#found.filter(({ place }) => !isIn(range, place.event));
    this.#found = [...others, ...found].sort((one, two) => comparePlaces(one.place, two.place));
    const isApart = (each: TranscriptRange) => each.last + 1 < first || each.first > last + 1;
    const near = this.#ranges.filter((each) => !isApart(each));
    const joined = {
      first: Math.min(first, ...near.map((each) => each.first)),
      last: Math.max(last, ...near.map((each) => each.last)),
    };
    this.#ranges = [...this.#ranges.filter(isApart), joined].sort((one, two) => one.first - two.first);
  }

  /** Returns the parts of a transcript that are neither loaded nor looked through, from the top. */
  missing(transcript: Transcript): readonly TranscriptRange[] {
    return unloadedRanges(transcript).flatMap((range) => without(range, this.#ranges));
  }

  /** Returns the matches in the parts of a transcript that are not loaded, from the top. */
  unloadedMatches(transcript: Transcript): readonly FoundPart[] {
    if (this.#found.length === 0) return [];
    const unloaded = unloadedRanges(transcript);
    return this.#found.filter(({ place }) => unloaded.some((range) => isIn(range, place.event)));
  }
}

/** Returns true for an event in a part of a transcript that is not loaded. */
export function isUnloaded(transcript: Transcript, event: EventSeq): boolean {
  return unloadedRanges(transcript).some((range) => isIn(range, event));
}

/** Returns true if one of some parts lies between two events. */
export function hasRangeBetween(ranges: readonly TranscriptRange[], one: EventSeq, two: EventSeq): boolean {
  const [from, to] = [Math.min(one, two), Math.max(one, two)];
  return ranges.some(({ first, last }) => first <= to && last >= from);
}

function unloadedRanges({ segments }: Transcript): readonly TranscriptRange[] {
  return segments.filter(({ items }) => items === undefined);
}

function isIn({ first, last }: TranscriptRange, event: EventSeq): boolean {
  return first <= event && event <= last;
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
