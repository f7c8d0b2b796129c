import type { EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isBesideLog, reachedBy } from "../follow.ts";
import { isTurnStarted } from "../turn-marks.ts";
import { hasOpenCall } from "./segment.ts";
import type { Transcript, TranscriptSegment } from "./transcript.ts";
import { NEW_TRANSCRIPT, settledSegments, transcriptAfter, withLaterEvent } from "./transcript.ts";

/** Events of one page. */
export const PAGE_EVENTS = 1_000;
/** Events behind a page in which the results of its calls are looked for. */
const LATER_EVENTS_MAX = 2_000;

/** Position of a page in a part that was left out: its beginning, its end, or around an event. */
export type PagePosition = "start" | "end" | { readonly around: EventSeq };

/** A part of a log, both ends included. */
export type TranscriptRange = Pick<TranscriptSegment, "first" | "last">;

/** A part of a transcript that was read back. */
export interface TranscriptPage {
  readonly first: EventSeq;
  readonly last: EventSeq;
  readonly segments: readonly TranscriptSegment[];
}

/**
 * Reads one page of a part that was left out, event by event. A page begins and ends between two items where the log
 * has such a place near by, and has the results of its calls.
 */
export class PageReader {
  readonly #segment: TranscriptRange;
  readonly #from: EventSeq;
  readonly #to: EventSeq;
  /** Events before the first place at which the page may begin. */
  #before: Envelope[] = [];
  #first: EventSeq;
  #last: EventSeq | undefined;
  #isBegun: boolean;
  #read: Transcript = NEW_TRANSCRIPT;
  #later = 0;

  constructor(segment: TranscriptRange, place: PagePosition) {
    this.#segment = segment;
    const { first, last } = segment;
    const wanted = place === "end" ? last : place === "start" ? first : middle(place.around);
    this.#from = Math.max(first, Math.min(wanted, last - PAGE_EVENTS + 1));
    this.#to = Math.min(last, this.#from + PAGE_EVENTS - 1);
    this.#first = this.#from;
    this.#isBegun = this.#from === first;
  }

  /** The last event before those that it needs. */
  get since(): EventSeq {
    return this.#from - 1;
  }

  /** Takes the next event. Returns false once it needs no more. */
  add(envelope: Envelope): boolean {
    if (isBesideLog(envelope)) return true;
    const { id } = envelope;
    const reached = reachedBy(envelope);
    if (this.#last !== undefined) return this.#addLater(envelope);
    const isBoundary = beginsItem(envelope);
    const isFull = id > this.#to;
    const isOver = id > this.#segment.last || id > this.#to + PAGE_EVENTS;
    if (isOver || (isFull && isBoundary)) {
      this.#end(id - 1);
      return this.#addLater(envelope);
    }
    if (!this.#isBegun && !isBoundary) this.#before.push(envelope);
    else {
      if (!this.#isBegun) this.#begin(id);
      this.#read = transcriptAfter(this.#read, envelope);
    }
    if (reached < this.#segment.last) return true;
    this.#end(this.#segment.last);
    return this.#needsLater;
  }

  /** Returns the page that was read. */
  get page(): TranscriptPage {
    if (this.#last === undefined) this.#end(Math.max(this.#read.reached, this.#first));
    const segments = settledSegments(this.#read.segments);
    return { first: this.#first, last: this.#last ?? this.#to, segments };
  }

  #begin(id: EventSeq): void {
    this.#isBegun = true;
    this.#first = id;
    this.#before = [];
  }

  #end(last: EventSeq): void {
    // No item began in all of it: one long text, which is cut.
    if (!this.#isBegun) for (const each of this.#before) this.#read = transcriptAfter(this.#read, each);
    this.#isBegun = true;
    this.#before = [];
    this.#last = last;
  }

  #addLater(envelope: Envelope): boolean {
    const { segments } = this.#read;
    // The calls of a turn have ended once the next one begins.
    if (isTurnStarted(envelope)) this.#read = { ...this.#read, segments: settledSegments(segments) };
    else this.#read = withLaterEvent(this.#read, envelope);
    this.#later += 1;
    return this.#needsLater;
  }

  get #needsLater(): boolean {
    const isOpen = this.#read.segments.some(({ items = [] }) => hasOpenCall(items));
    return isOpen && this.#later < LATER_EVENTS_MAX;
  }
}

/** Returns the first event of the page around an event: what is above it is shown too. */
function middle(around: EventSeq): EventSeq {
  return around - Math.floor(PAGE_EVENTS / 2);
}

/** Returns true for an event of the session's own agent that begins an item, whatever was before it. */
export function beginsItem(envelope: Envelope): boolean {
  if (envelope.parentCall !== undefined) return false;
  return isTurnStarted(envelope) || envelope.kind === "ToolCallStarted";
}

/** Returns the transcript with a page where it was left out; the same value if that is not left out. */
export function withPage(
  transcript: Transcript,
  { first, last, segments: read }: TranscriptPage,
): Transcript {
  const { segments } = transcript;
  const at = segments.findIndex(
    (each) => each.items === undefined && each.first <= first && each.last >= last,
  );
  const leftOut = segments[at];
  if (leftOut === undefined) return transcript;
  const above = leftOut.first < first ? [{ first: leftOut.first, last: first - 1, weight: 0 }] : [];
  const below = leftOut.last > last ? [{ first: last + 1, last: leftOut.last, weight: 0 }] : [];
  return { ...transcript, segments: segments.toSpliced(at, 1, ...above, ...read, ...below) };
}
