import type { EventSeq } from "../../../base/ids.ts";
import type { CallItem, TranscriptItem } from "../../../view/transcript/items.ts";
import type { Transcript } from "../../../view/transcript/transcript.ts";
import type { TranscriptPartIndex } from "../transcript/place.ts";
import { eventAt, firstPart, itemAt, lastPart, partAt, partBefore, partBehind } from "../transcript/place.ts";

/** A part of an item that is to be written. */
export interface TakenPart {
  readonly item: TranscriptItem;
  readonly part: number;
}

/** Place of a part, which stays the same while the transcript grows. */
interface Taken {
  readonly event: EventSeq;
  readonly part: number;
}

/**
 * Hands out each part of a transcript once, in order, when nothing can change it. A call that outlives its turn
 * is handed out while it runs, and once more at its end.
 */
export class FinishedParts {
  #last: Taken | undefined;
  /** Calls that were handed out while they ran. */
  readonly #running = new Set<EventSeq>();

  /** Passes over everything before a part. */
  skipTo(transcript: Transcript, part: TranscriptPartIndex): void {
    const before = partBefore(transcript, part);
    this.#last = before === undefined ? undefined : takenOf(transcript, before);
  }

  /** Returns the parts that are finished since the last call. @param all true: the unfinished ones too. */
  take(transcript: Transcript, all: boolean): readonly TakenPart[] {
    const taken: TakenPart[] = this.#ended(transcript);
    for (let at = this.#next(transcript); at !== undefined; at = partBehind(transcript, at)) {
      const item = itemAt(transcript, at);
      if (item === undefined) {
        // An empty segment still grows. A dropped one was shown before, or is read back elsewhere.
        if (transcript.segments[at.segment]?.items !== undefined) break;
      } else {
        const isOutlived = item.kind === "call" && isRunning(item) && isTurnOver(transcript, at);
        if (!all && !isOutlived && !isFinal(item, at.part)) break;
        if (isOutlived) this.#running.add(item.event);
        taken.push({ item, part: at.part });
      }
      this.#last = takenOf(transcript, at);
    }
    return taken;
  }

  /** Returns the last parts that were not handed out, the newest first, as long as `takes` returns true. */
  eachOpen(transcript: Transcript, takes: (open: TakenPart) => boolean): void {
    for (let at = lastPart(transcript); at !== undefined; at = partBefore(transcript, at)) {
      if (this.#isTaken(transcript, at)) return;
      const item = itemAt(transcript, at);
      if (item !== undefined && !takes({ item, part: at.part })) return;
    }
  }

  #next(transcript: Transcript): TranscriptPartIndex | undefined {
    if (this.#last === undefined) return firstPart(transcript);
    const last = partAt(transcript, { ...this.#last, row: 0 });
    return last === undefined ? undefined : partBehind(transcript, last);
  }

  #isTaken(transcript: Transcript, at: TranscriptPartIndex): boolean {
    if (this.#last === undefined) return false;
    const event = eventAt(transcript, at);
    return event < this.#last.event || (event === this.#last.event && at.part <= this.#last.part);
  }

  #ended(transcript: Transcript): TakenPart[] {
    const ended: TakenPart[] = [];
    for (const event of this.#running) {
      const at = partAt(transcript, { event, part: 0, row: 0 });
      const item = at === undefined ? undefined : itemAt(transcript, at);
      if (item?.event === event && item.kind === "call" && isRunning(item)) continue;
      this.#running.delete(event);
      if (item?.event === event) ended.push({ item, part: 0 });
    }
    return ended;
  }
}

function takenOf(transcript: Transcript, at: TranscriptPartIndex): Taken {
  const segment = transcript.segments[at.segment];
  // Of a dropped segment everything counts as taken, also once it is read back.
  if (segment !== undefined && segment.items === undefined) return { event: segment.last, part: 0 };
  return { event: eventAt(transcript, at), part: at.part };
}

function isFinal(item: TranscriptItem, part: number): boolean {
  switch (item.kind) {
    case "text":
      return part < item.streamed.closed.length;
    case "thinking":
      return item.streamed.reader === undefined;
    case "call":
      return !isRunning(item);
    case "note":
      return item.isOpen !== true;
    default:
      return true;
  }
}

function isRunning({ state }: CallItem): boolean {
  return state === "running" || state === "asked";
}

/** Returns true if a turn has ended, or begun, behind a part. */
function isTurnOver(transcript: Transcript, at: TranscriptPartIndex): boolean {
  for (let next = partBehind(transcript, at); next !== undefined; next = partBehind(transcript, next)) {
    const kind = itemAt(transcript, next)?.kind;
    if (kind === "end" || kind === "prompt") return true;
  }
  return false;
}
