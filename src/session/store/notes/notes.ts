import type { EventSeq, LogId } from "../../../base/ids.ts";

/** Readers that may have a mark in one log, and as many that may have a draft. */
export const READERS_MAX = 32;

/**
 * Data that people keep beside a log, whether it runs or not. Nothing of it is an event. Texts are sealed as events
 * are: they expire with their day, and are deleted with their log.
 *
 * Every method throws SessionMissing for a log that does not exist.
 */
export interface SessionNotes {
  /** Gives a log the title of a person. With an empty one it has the title made from its first prompt again. */
  rename(logId: LogId, title: Note): Promise<void>;

  /**
   * Returns the logs with a title of a person, the one that began last first. Absent: searches find no titles.
   */
  renamed?(): Promise<readonly LogId[]>;

  /** Hides a log from lists that leave archived ones out, or shows it again. */
  archive(logId: LogId, archived: boolean): Promise<void>;

  /**
   * Sets the mark of a reader: everything up to an event was read. An earlier event than before makes turns unread
   * again. Of more readers than `READERS_MAX` the ones that have marked last are kept.
   */
  markRead(logId: LogId, reader: string, mark: Mark): Promise<void>;

  /** Returns the number of turns that have ended since the mark of a reader; without a mark, of all. */
  unread(logId: LogId, reader: string): Promise<number>;

  /**
   * Keeps the unsent text of a reader; an empty one is removed. It survives the death of the process.
   * @throws HarnessError DraftsFull if as many other readers have one.
   */
  setDraft(logId: LogId, reader: string, draft: Note): Promise<void>;

  /** Returns the unsent text of a reader; undefined if there is none, or it has expired. */
  draft(logId: LogId, reader: string): Promise<Note | undefined>;

  /** Returns true if any reader has an unsent text that has not expired. Absent: it is not known. */
  hasDraft?(logId: LogId): Promise<boolean>;
}

/** A text, and the time at which it was kept. */
export interface Note {
  readonly text: string;
  readonly ts: string;
}

/** The last event that was read, and the time at which it was marked. */
export interface Mark {
  readonly event: EventSeq;
  readonly ts: string;
}
