import { HarnessError } from "../../../base/errors.ts";
import type { EventSeq, LogId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { isTurnEnded } from "../../../view/turn-marks.ts";
import { dayOf } from "../log-facts.ts";
import type { LogNumbers } from "./log-numbers.ts";
import type { Note, SessionNotes } from "./notes.ts";
import { READERS_MAX } from "./notes.ts";

/** Notes of one log in memory. */
export interface MemoryLogNotes {
  archived: boolean;
  title: Note | undefined;
  /** By reader. */
  readonly drafts: Map<string, Note>;
  /** Turns that had ended at the mark of each reader; the newest mark last. */
  readonly marks: Map<string, number>;
}

/** The parts of a log in memory that its notes depend on. */
interface NotedLog {
  readonly notes: MemoryLogNotes;
  readonly numbers: LogNumbers;
  readonly events: readonly Envelope[];
}

export function emptyNotes(): MemoryLogNotes {
  return { archived: false, title: undefined, drafts: new Map(), marks: new Map() };
}

/** Removes texts that were kept before a day. */
export function expireNotes(notes: MemoryLogNotes, beforeDay: string): void {
  if (notes.title !== undefined && dayOf(notes.title.ts) < beforeDay) notes.title = undefined;
  for (const [reader, { ts }] of notes.drafts) if (dayOf(ts) < beforeDay) notes.drafts.delete(reader);
}

/**
 * Returns the notes of a store in memory.
 * @param find throws HarnessError SessionMissing.
 */
export function memoryNotes(
  find: (logId: LogId) => NotedLog,
  all: () => readonly (readonly [LogId, Pick<NotedLog, "notes">])[],
): SessionNotes {
  return {
    async renamed() {
      const logs = all().flatMap(([logId, { notes }]) => (notes.title === undefined ? [] : [logId]));
      return logs.sort((a, b) => (a < b ? 1 : -1));
    },
    async rename(logId, title) {
      find(logId).notes.title = title.text === "" ? undefined : title;
    },
    async archive(logId, archived) {
      find(logId).notes.archived = archived;
    },
    async markRead(logId, reader, { event }) {
      const log = find(logId);
      const { marks } = log.notes;
      marks.delete(reader);
      marks.set(reader, turnsRead(log, event));
      const [oldest] = marks.keys();
      if (marks.size > READERS_MAX && oldest !== undefined) marks.delete(oldest);
    },
    async unread(logId, reader) {
      const { notes, numbers } = find(logId);
      return Math.max(0, numbers.turnsEnded - (notes.marks.get(reader) ?? 0));
    },
    async setDraft(logId, reader, draft) {
      const { drafts } = find(logId).notes;
      if (draft.text === "") return void drafts.delete(reader);
      if (!drafts.has(reader) && drafts.size >= READERS_MAX)
        throw new HarnessError("DraftsFull", { id: logId, count: `${drafts.size}` });
      drafts.set(reader, draft);
    },
    async draft(logId, reader) {
      return find(logId).notes.drafts.get(reader);
    },
    async hasDraft(logId) {
      return find(logId).notes.drafts.size > 0;
    },
  };
}

function turnsRead({ numbers, events }: NotedLog, event: EventSeq): number {
  const unread = events.filter((each) => each.id > event && isTurnEnded(each)).length;
  return Math.max(0, numbers.turnsEnded - unread);
}
