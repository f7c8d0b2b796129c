import type { Envelope } from "../../protocol/events/envelope.ts";
import { isTurnStarted } from "../turn-marks.ts";
import type { NoteItem, NoteTone } from "./items.ts";
import type { Transcript, TranscriptSegment } from "./transcript.ts";
import { transcriptAfter } from "./transcript.ts";
import { weightOfItems } from "./weight.ts";

/** A note of one client, such as the answer to a command of its user. */
export interface LocalNote {
  readonly text: string;
  readonly tone: NoteTone;
  /** Time at which it was made, as a log writes times. */
  readonly ts: string;
  /** The command that it answers. Default: none. */
  readonly title?: string;
}

/** Distance between the numbers of notes behind one event: they stand between two events. */
const STEP = 2 ** -20;

/** Returns the transcript with a note at its end. No event has it, so it is never dropped. */
export function withLocalNote(transcript: Transcript, note: LocalNote): Transcript {
  const last = transcript.segments.at(-1);
  const event = last !== undefined && isNote(last) ? last.first + STEP : transcript.reached + STEP;
  return { ...transcript, segments: [...transcript.segments, segmentOf(note, event)] };
}

/**
 * Returns the transcript after one more event. Notes at its end stay behind the turn that runs, so that no text is
 * broken in two; what begins later stands behind them.
 */
export function transcriptAfterEvent(transcript: Transcript, envelope: Envelope): Transcript {
  const { segments } = transcript;
  const at = segments.findLastIndex((segment) => !isNote(segment)) + 1;
  if (at === segments.length) return transcriptAfter(transcript, envelope);
  const before = segments[at - 1];
  if (before === undefined || !isGrowing(before) || isTurnStarted(envelope))
    return transcriptAfter(transcript, envelope);
  const base: Transcript = { ...transcript, segments: segments.slice(0, at) };
  const next = transcriptAfter(base, envelope);
  if (next === base) return transcript;
  const notes = segments.slice(at);
  const moved =
    next.reached === transcript.reached
      ? notes
      : notes.map((segment, index) => numbered(segment, next.reached + STEP * (index + 1)));
  return { ...next, segments: [...next.segments, ...moved] };
}

/** Returns true for a segment with a note of this client alone. */
function isNote({ items }: TranscriptSegment): boolean {
  const last = items?.at(-1);
  return last?.kind === "note" && last.local !== undefined;
}

/** Returns true while a turn or a text of a segment has no end. */
function isGrowing({ turn, items }: TranscriptSegment): boolean {
  const last = items?.at(-1);
  if (last === undefined) return false;
  if (turn !== undefined) return last.kind !== "end";
  return (last.kind === "text" || last.kind === "thinking") && last.streamed.reader !== undefined;
}

function segmentOf({ text, tone, ts, title }: LocalNote, event: number): TranscriptSegment {
  const local = title === undefined ? {} : { title };
  const items: readonly NoteItem[] = [{ kind: "note", event, ts, tone, text, local }];
  return { first: event, last: event, lastTs: ts, isChangedLater: true, items, weight: weightOfItems(items) };
}

function numbered(segment: TranscriptSegment, event: number): TranscriptSegment {
  const items = (segment.items ?? []).map((item) => ({ ...item, event }));
  return { ...segment, first: event, last: event, items };
}
