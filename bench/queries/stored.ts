import type { LogId, SessionId } from "../../src/base/ids.ts";

/** The title of one session in the middle of all: no other has its words. */
export const RARE_TITLE = "xylophone lessons for an axolotl";

/** A word that no session has. */
export const ABSENT_WORD = "wyvernless";

export interface StoredLog {
  readonly logId: LogId;
  readonly session: SessionId;
  readonly updatedAt: string;
}

/** Sessions that `fill.ts` has stored, and the number of their events. */
export interface StoredSessions {
  readonly oldest: StoredLog;
  readonly middle: StoredLog;
  readonly newest: StoredLog;
  /** One log of many events, which began last. */
  readonly long: StoredLog;
  /** Working directory of a tenth of the sessions. */
  readonly folder: string;
  readonly sessions: number;
  readonly events: number;
  readonly longEvents: number;
}
