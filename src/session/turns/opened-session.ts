import type { Session } from "./session.ts";

/** A session that was opened, and sentences for the person who opened it. */
export interface OpenedSession {
  readonly session: Session;
  readonly notices?: readonly string[];
  /** The one of them about sessions that lose content within a week. Absent: none is. */
  readonly expiring?: string;
}
