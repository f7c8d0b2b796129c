import type { EventSeq } from "../../../base/ids.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";
import type { Transcript, TranscriptSegment } from "../../../view/transcript/transcript.ts";
import { partsOf } from "./draw-item.ts";

/** A part of a transcript, by its indices. A dropped segment has one part without an item. */
export interface TranscriptPartIndex {
  readonly segment: number;
  readonly item: number;
  readonly part: number;
}

/** A part of a transcript that stays the same while the transcript grows. */
export interface PartLocation {
  /** The event of its item; of a dropped segment, the first event of that. */
  readonly event: EventSeq;
  readonly part: number;
}

/** A row of a transcript that stays the same while the transcript grows. */
export interface RowLocation extends PartLocation {
  /** Row in the part, from 0. */
  readonly row: number;
}

/** Returns true if a row stands above another one. */
export function isBefore(one: RowLocation, two: RowLocation): boolean {
  if (one.event !== two.event) return one.event < two.event;
  return one.part === two.part ? one.row < two.row : one.part < two.part;
}

/** Compares the parts of two places: negative if the first one stands above. */
export function comparePlaces(one: PartLocation, two: PartLocation): number {
  return one.event - two.event || one.part - two.part;
}

/** Returns the last part of a transcript; undefined if it is empty. */
export function lastPart({ segments }: Transcript): TranscriptPartIndex | undefined {
  return lastOf(segments, segments.length - 1);
}

/** Returns the part before another; undefined for the first one. */
export function partBefore(
  transcript: Transcript,
  { segment, item, part }: TranscriptPartIndex,
): TranscriptPartIndex | undefined {
  if (part > 0) return { segment, item, part: part - 1 };
  const { segments } = transcript;
  const before = itemsOf(segments[segment])[item - 1];
  if (before !== undefined) return { segment, item: item - 1, part: Math.max(0, partsOf(before) - 1) };
  return lastOf(segments, segment - 1);
}

/** Returns the part behind another; undefined for the last one. */
export function partBehind(
  { segments }: Transcript,
  { segment, item, part }: TranscriptPartIndex,
): TranscriptPartIndex | undefined {
  const items = itemsOf(segments[segment]);
  const current = items[item];
  if (current !== undefined && part + 1 < partsOf(current)) return { segment, item, part: part + 1 };
  if (item + 1 < items.length) return { segment, item: item + 1, part: 0 };
  for (let next = segment + 1; next < segments.length; next += 1) {
    const { items: found } = segments[next] ?? {};
    if (found === undefined || found.length > 0) return { segment: next, item: 0, part: 0 };
  }
  return undefined;
}

/** Returns the part of a place: the nearest one before it, if its item is gone. */
export function partAt(
  transcript: Transcript,
  { event, part }: RowLocation,
): TranscriptPartIndex | undefined {
  const { segments } = transcript;
  const segment = lastIndexUpTo(segments, (each) => each.first, event);
  if (segment < 0) return firstPart(transcript);
  const items = itemsOf(segments[segment]);
  const item = Math.max(
    0,
    lastIndexUpTo(items, (each) => each.event, event),
  );
  const found = items[item];
  const last = found === undefined ? 0 : Math.max(0, partsOf(found) - 1);
  return { segment, item, part: found?.event === event ? Math.min(part, last) : last };
}

/** Returns the first part of a transcript; undefined if it is empty. */
export function firstPart(transcript: Transcript): TranscriptPartIndex | undefined {
  return transcript.segments.length === 0 ? undefined : { segment: 0, item: 0, part: 0 };
}

/** Returns the item of a part; undefined in a dropped segment. */
export function itemAt(
  { segments }: Transcript,
  { segment, item }: TranscriptPartIndex,
): TranscriptItem | undefined {
  return itemsOf(segments[segment])[item];
}

/** Returns the event that names the item of a part, or the dropped segment. */
export function eventAt(transcript: Transcript, part: TranscriptPartIndex): EventSeq {
  return itemAt(transcript, part)?.event ?? transcript.segments[part.segment]?.first ?? 0;
}

function lastOf(segments: readonly TranscriptSegment[], from: number): TranscriptPartIndex | undefined {
  for (let segment = from; segment >= 0; segment -= 1) {
    const { items } = segments[segment] ?? {};
    if (items === undefined) return { segment, item: 0, part: 0 };
    const last = items.at(-1);
    if (last !== undefined) return { segment, item: items.length - 1, part: Math.max(0, partsOf(last) - 1) };
  }
  return undefined;
}

function itemsOf(segment: TranscriptSegment | undefined): readonly TranscriptItem[] {
  return segment?.items ?? [];
}

/** Returns the index of the last entry whose number is at most the given one; -1 if there is none. */
function lastIndexUpTo<Entry>(
  entries: readonly Entry[],
  numberOf: (entry: Entry) => number,
  most: number,
): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && numberOf(entry) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
