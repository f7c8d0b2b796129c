import type { EventSeq } from "../../../../base/ids.ts";
import { endingText } from "../../../../view/texts/ending-text.ts";
import type { TranscriptItem } from "../../../../view/transcript/items.ts";
import type { Transcript } from "../../../../view/transcript/transcript.ts";
import type { OwnFacts } from "../draw-context.ts";
import { isOwnMode } from "../draw-context.ts";

type Accepts = (item: TranscriptItem) => boolean;

/**
 * Returns true for an item that has rows. The end of a turn has none if nothing went wrong or another item says it, nor
 * has a change of the mode by the person.
 */
export function isShown(item: TranscriptItem, facts: OwnFacts): boolean {
  if (item.kind === "note") return !isOwnMode(item, facts);
  return item.kind !== "end" || (item.isSaid !== true && endingText(item.reason) !== undefined);
}

export function isPrompt({ kind }: TranscriptItem): boolean {
  return kind === "prompt";
}

/** Returns the item of an event; undefined if it is not loaded. */
export function itemOf({ segments }: Transcript, event: EventSeq): TranscriptItem | undefined {
  const segment = segments.findLast(({ first }) => first <= event);
  return segment?.items?.find((item) => item.event === event);
}

/** Returns the last accepted item before an event; undefined if there is none. */
export function itemBefore(
  { segments }: Transcript,
  event: EventSeq,
  accepts: Accepts,
): TranscriptItem | undefined {
  for (let at = segments.length - 1; at >= 0; at -= 1) {
    const segment = segments[at];
    if (segment?.items === undefined || segment.first >= event) continue;
    const found = segment.items.findLast((item) => item.event < event && accepts(item));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first accepted item behind an event; undefined if there is none. */
export function itemBehind(
  { segments }: Transcript,
  event: EventSeq,
  accepts: Accepts,
): TranscriptItem | undefined {
  for (const segment of segments) {
    if (segment.items === undefined || segment.last < event) continue;
    const found = segment.items.find((item) => item.event > event && accepts(item));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the number of accepted items behind an event, at most `most`. Looks no farther back than that event. */
export function countBehind(
  { segments }: Transcript,
  event: EventSeq,
  { accepts, most }: { readonly accepts: Accepts; readonly most: number },
): number {
  let count = 0;
  for (let at = segments.length - 1; at >= 0 && count < most; at -= 1) {
    const items = segments[at]?.items ?? [];
    for (let index = items.length - 1; index >= 0 && count < most; index -= 1) {
      const item = items[index];
      if (item === undefined) continue;
      if (item.event <= event) return count;
      if (accepts(item)) count += 1;
    }
  }
  return count;
}
