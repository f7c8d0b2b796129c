import { defined } from "../../base/defined.ts";
import type { CallId, EventSeq } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { isBesideLog, reachedBy } from "../follow.ts";
import type { TurnSummary } from "../session/turns.ts";
import { isTurnStarted } from "../turn-marks.ts";
import type { NoteItem, TranscriptItem } from "./items.ts";
import { noteOf, rewindNoteOf } from "./notes.ts";
import {
  callWithNested,
  closed,
  closedQuestion,
  hasOpenCall,
  itemsAfter,
  settled,
  withCall,
} from "./segment.ts";
import { weightOfItems } from "./weight.ts";

/** Items of one segment; a longer turn continues in the next one. */
const SEGMENT_ITEMS_MAX = 200;

/** A part of a conversation: a turn, a part of a long one, or what stands between two turns. */
export interface TranscriptSegment {
  /** The first event that belongs to it, which identifies it. */
  readonly first: EventSeq;
  /** The last event that was read into it. */
  readonly last: EventSeq;
  /** Time of that event, at which a turn that broke off is taken to have ended. Absent: not read. */
  readonly lastTs?: string;
  /** True if an event behind `last` changed one of its items: a page may lack that event, so it is never dropped. */
  readonly isChangedLater?: true;
  /** Its turn; absent between turns. */
  readonly turn?: number;
  /** Absent: left out to save memory, until a page brings them back (`PageReader`). */
  readonly items?: readonly TranscriptItem[];
  /** True: a person has cleared it from the screen. It is read back only when they scroll to it. */
  readonly isCleared?: true;
  /** Characters that its items take in memory, about; those it took, if it is dropped. */
  readonly weight: number;
}

/**
 * A conversation as its reader sees it, as a value. Parts that are not read or dropped are segments without items.
 *
 * Memory is bounded by the reader: `droppedFrom` leaves out what is far from the place that is shown.
 */
export interface Transcript {
  /** The last event that was read. */
  readonly reached: EventSeq;
  readonly segments: readonly TranscriptSegment[];
}

export const NEW_TRANSCRIPT: Transcript = { reached: 0, segments: [] };

/** Returns a transcript that begins behind an event: older ones are left out until they are read back. */
export function transcriptBehind(event: EventSeq): Transcript {
  if (event <= 0) return NEW_TRANSCRIPT;
  return { reached: event, segments: [{ first: 1, last: event, weight: 0 }] };
}

/**
 * Returns the transcript without what was read so far, as a person clears it. In a turn, the oldest text or call of it
 * that still grows stays, with what stands behind it: no sentence is torn, and no call ends unseen.
 */
export function clearedTranscript({ reached, segments }: Transcript): Transcript {
  const growing = growingSegments(segments);
  const before = (growing[0]?.first ?? reached + 1) - 1;
  const cleared = transcriptBehind(before).segments.map((each) => ({ ...each, isCleared: true as const }));
  return { reached, segments: [...cleared, ...growing] };
}

/** Returns the end of the turn that runs, from its oldest item on that still grows; nothing if none does. */
function growingSegments(segments: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  const logSegments = segments.filter(({ items }) => !isLocal(items?.at(-1)));
  const from = logSegments.findLastIndex(({ items, turn }) => items === undefined || turn !== undefined);
  const ofTurn = logSegments.slice(Math.max(0, from));
  const at = ofTurn.findIndex(({ items = [] }) => items.some(isGrowing));
  const first = ofTurn[at];
  if (first?.items === undefined) return [];
  const items = first.items.slice(first.items.findIndex(isGrowing));
  const event = items[0]?.event ?? first.first;
  return [{ ...first, first: event, items, weight: weightOfItems(items) }, ...ofTurn.slice(at + 1)];
}

/** Returns true for a text that is being written, and for a call of the turn that has not ended. */
function isGrowing(item: TranscriptItem): boolean {
  if (item.kind === "text" || item.kind === "thinking") return item.streamed.reader !== undefined;
  return item.kind === "call" && item.shell === undefined && hasOpenCall([item]);
}

/** Returns true for a note of this client alone. */
function isLocal(item: TranscriptItem | undefined): boolean {
  return item?.kind === "note" && item.local !== undefined;
}

/**
 * Returns a transcript that begins behind an event, with calls that began before it and end behind it. What stands
 * between them is left out until it is read back.
 * @param calls their starts, in order.
 */
export function transcriptWithCalls(event: EventSeq, calls: readonly Envelope[]): Transcript {
  const segments: TranscriptSegment[] = [];
  let from: EventSeq = 1;
  for (const call of calls) {
    const { id, ts } = call;
    if (id < from || id > event) continue;
    if (id > from) segments.push({ first: from, last: id - 1, weight: 0 });
    const items = itemsAfter([], call);
    // Events behind it change it: a page would lack them.
    const weight = weightOfItems(items);
    segments.push({ first: id, last: id, lastTs: ts, isChangedLater: true, items, weight });
    from = id + 1;
  }
  if (from <= event) segments.push({ first: from, last: event, weight: 0 });
  return { reached: Math.max(event, 0), segments };
}

/** Returns the transcript with the number of items that it lacks of a sub-agent. @param children all of its items. */
export function withChildrenLeftOut(transcript: Transcript, callId: CallId, children: number): Transcript {
  const segments = transcript.segments.map((segment) => {
    if (segment.items === undefined) return segment;
    const items = withCall(segment.items, callId, (call) => {
      const itemsLeftOut = children - call.items.length;
      return itemsLeftOut <= (call.itemsLeftOut ?? 0) ? call : { ...call, itemsLeftOut };
    });
    return items === segment.items ? segment : { ...segment, items };
  });
  return { ...transcript, segments };
}

/** Returns the transcript after one more event; the same value for an event that was read before or shows nothing. */
export function transcriptAfter(transcript: Transcript, envelope: Envelope): Transcript {
  if (isBesideLog(envelope)) return withLive(transcript, envelope);
  const reached = reachedBy(envelope);
  if (reached <= transcript.reached) return transcript;
  const settledBefore = isTurnStarted(envelope) ? withSettledEnd(transcript.segments) : transcript.segments;
  const asked = questionOf(settledBefore, envelope);
  const segments = asked === undefined ? settledBefore : withQuestionClosed(settledBefore, asked);
  const last = segments.at(-1);
  const open = last !== undefined && last.items !== undefined && goesInto(last, envelope) ? last : undefined;
  const before = open ?? newSegment(envelope);
  const items = itemsOf(before.items ?? [], envelope, { segments, asked });
  if (items === before.items || (open === undefined && items.length === 0)) {
    const moved = changedBefore(segments, envelope);
    return open === undefined
      ? { reached, segments: moved }
      : {
          reached,
          segments: moved.with(-1, { ...(moved.at(-1) ?? open), last: reached, lastTs: envelope.ts }),
        };
  }
  const next = { ...before, last: reached, lastTs: envelope.ts, items, weight: weightOfItems(items) };
  return {
    reached,
    segments: open === undefined ? [...withClosedEnd(segments), next] : segments.with(-1, next),
  };
}

/** Returns segments to which nothing more comes: texts are closed, and calls without an end are lost. */
export function settledSegments(segments: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  return segments.map((segment) =>
    segment.items === undefined
      ? segment
      : { ...segment, items: settled(segment.items, segment.lastTs ?? "") },
  );
}

/** Returns the transcript after an event behind its end, as far as that changes a call in it. */
export function withLaterEvent(transcript: Transcript, envelope: Envelope): Transcript {
  const segments = changedBefore(transcript.segments, envelope);
  return segments === transcript.segments ? transcript : { ...transcript, segments };
}

/**
 * Returns the transcript without the items of the segments farthest from a place, so that the rest weighs at most as
 * much as given. Neighbours that are left out become one. The last segment, which grows, is always kept, and so are
 * the segment of the place, calls that run, and what a page cannot bring back (`PageReader`).
 * @param near the event that is shown.
 */
export function droppedFrom(transcript: Transcript, near: EventSeq, charactersMax: number): Transcript {
  const { segments } = transcript;
  let total = segments.reduce((sum, { items, weight }) => sum + (items === undefined ? 0 : weight), 0);
  if (total <= charactersMax) return transcript;
  const center = Math.max(
    0,
    segments.findLastIndex(({ first }) => first <= near),
  );
  const farthest = segments
    .map((_, index) => index)
    .slice(0, -1)
    .filter((index) => index !== center)
    .sort((one, two) => Math.abs(two - center) - Math.abs(one - center));
  const next = [...segments];
  for (const index of farthest) {
    const segment = next[index];
    if (total <= charactersMax) break;
    if (segment?.items === undefined || !isRestorable(segment)) continue;
    const { first, last, weight } = segment;
    next[index] = { first, last, weight };
    total -= weight;
  }
  return { ...transcript, segments: joined(next) };
}

/** Returns true for a segment that a page brings back as it is. */
function isRestorable({ items = [], isChangedLater }: TranscriptSegment): boolean {
  return isChangedLater !== true && !hasOpenCall(items);
}

/** Returns the segments with neighbours that are left out as one. */
function joined(segments: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  const all: TranscriptSegment[] = [];
  for (const segment of segments) {
    const before = all.at(-1);
    const isSame = before !== undefined && before.items === undefined && segment.items === undefined;
    if (!isSame) all.push(segment);
    else
      all[all.length - 1] = {
        first: before.first,
        last: segment.last,
        weight: before.weight + segment.weight,
      };
  }
  return all;
}

/** Returns the segments once nothing of the last one can grow: a turn that broke off has no end. */
function withSettledEnd(segments: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  const last = segments.at(-1);
  if (last?.items === undefined || last.items.at(-1)?.kind === "end") return segments;
  const items = settled(last.items, last.lastTs ?? "");
  return segments.with(-1, { ...last, items, weight: weightOfItems(items) });
}

/** Returns the segments once no text at the end of the last one can grow. */
function withClosedEnd(segments: readonly TranscriptSegment[]): readonly TranscriptSegment[] {
  const last = segments.at(-1);
  if (last?.items === undefined) return segments;
  const items = closed(last.items, last.lastTs ?? "");
  return items === last.items ? segments : segments.with(-1, { ...last, items });
}

/** Output of a command as it comes is not in the log: it changes the call and nothing else. */
function withLive(transcript: Transcript, envelope: Envelope): Transcript {
  if (envelope.kind !== "ToolCallProgress") return transcript;
  const segments = changedBefore(transcript.segments, envelope);
  return segments === transcript.segments ? transcript : { ...transcript, segments };
}

/**
 * Returns the segments with a call changed, wherever it stands: a command of a person or an agent may outlive its turn.
 */
function changedBefore(
  segments: readonly TranscriptSegment[],
  envelope: Envelope,
): readonly TranscriptSegment[] {
  if (envelope.parentCall === undefined && !isAboutCall(envelope)) return segments;
  for (let at = segments.length - 1; at >= 0; at -= 1) {
    const segment = segments[at];
    if (segment?.items === undefined) continue;
    const items = changedIn(segment.items, envelope);
    if (items !== segment.items) {
      // Output as it comes is not in the log; the result that follows it is.
      const later = isBesideLog(envelope) ? {} : { isChangedLater: true as const };
      return segments.with(at, { ...segment, ...later, items, weight: weightOfItems(items) });
    }
  }
  return segments;
}

/** Returns the items with the call of the event changed, if it is among them. */
function changedIn(items: readonly TranscriptItem[], envelope: Envelope): readonly TranscriptItem[] {
  const { parentCall } = envelope;
  if (parentCall !== undefined) return withCall(items, parentCall, (call) => callWithNested(call, envelope));
  return itemsAfter(items, envelope);
}

function isAboutCall({ kind }: Envelope): boolean {
  return (
    kind === "ToolCallProgress" ||
    kind === "PermissionRequested" ||
    kind === "PermissionAnswered" ||
    kind === "ToolResult"
  );
}

/** The part of the transcript before an event, in any turn. */
interface Before {
  /** A rewind names a turn of these. */
  readonly segments: readonly TranscriptSegment[];
  /** The question that the event answers. */
  readonly asked: NoteItem | undefined;
}

function itemsOf(
  items: readonly TranscriptItem[],
  envelope: Envelope,
  { segments, asked }: Before,
): readonly TranscriptItem[] {
  if (envelope.parentCall !== undefined) return changedIn(items, envelope);
  const rewind = rewindNoteOf(envelope, () => ({ all: turnsIn(segments) }));
  const note = rewind ?? (asked === undefined ? undefined : noteOf(envelope, asked));
  return note === undefined ? itemsAfter(items, envelope) : [...items, note];
}

/**
 * Returns the question that an event answers. It may stand before the turn of its answer, whose start has closed it;
 * undefined too for a closed one without choices, whose answer needs no words of it.
 */
function questionOf(segments: readonly TranscriptSegment[], envelope: Envelope): NoteItem | undefined {
  if (envelope.kind !== "Answered" || envelope.parentCall !== undefined) return undefined;
  const { askId } = envelope.payload;
  for (const { items = [] } of segments.toReversed())
    for (const item of items.toReversed())
      if (
        item.kind === "note" &&
        item.askId === askId &&
        (item.isOpen === true || item.choices !== undefined)
      )
        return item;
  return undefined;
}

function withQuestionClosed(
  segments: readonly TranscriptSegment[],
  asked: NoteItem,
): readonly TranscriptSegment[] {
  if (asked.isOpen !== true) return segments;
  return segments.map((segment, at) => {
    const index = segment.items?.indexOf(asked) ?? -1;
    if (segment.items === undefined || index < 0) return segment;
    const later = at === segments.length - 1 ? {} : { isChangedLater: true as const };
    return { ...segment, ...later, items: segment.items.with(index, closedQuestion(asked)) };
  });
}

/** Returns the turns of the segments with their first and last events, as far as these were read. */
function turnsIn(segments: readonly TranscriptSegment[]): readonly TurnSummary[] {
  return segments.flatMap(({ turn, first, items }): readonly TurnSummary[] => {
    if (turn === undefined) return [];
    const end = items?.findLast(({ kind }) => kind === "end");
    return [{ turn, event: first, words: "", before: 0, ...defined({ ended: end?.event }) }];
  });
}

/** Returns true for an event that belongs into the last segment: its turn continues, and it has room. */
function goesInto({ turn, items = [] }: TranscriptSegment, envelope: Envelope): boolean {
  if (isTurnStarted(envelope)) return false;
  const last = items.at(-1);
  if (isLocal(last)) return false;
  const hasEnded = turn !== undefined && last?.kind === "end";
  return !hasEnded && (items.length < SEGMENT_ITEMS_MAX || isPart(envelope));
}

/** Returns true for an event that ends or changes an item: it is not worth a segment. */
function isPart({ kind }: Envelope): boolean {
  return kind === "TextDelta" || kind === "ThinkingDelta" || kind === "TurnEnded";
}

function newSegment(envelope: Envelope): TranscriptSegment {
  const first = envelope.kind === "StreamGap" ? envelope.payload.from : envelope.id;
  const turn = isTurnStarted(envelope) ? { turn: envelope.payload.turn } : {};
  return { first, last: first, ...turn, weight: 0 };
}
