import type { Message } from "../../protocol/message.ts";
import type { CarriedState, QueuedInput } from "../moments.ts";
import type { SessionWriter } from "../store/store.ts";
import type { Unfinished } from "./unfinished.ts";

/** Starting state of a new run on an existing log (SES-07, SES-17). */
export interface ResumedLog extends CarriedState {
  readonly history: readonly Message[];
  /** The end of the history that was only in events so far. */
  readonly recovered: readonly Message[];
  readonly lastTurn: number;
  readonly unfinished?: Unfinished;
  /** Inputs that were accepted and have not started. */
  readonly waiting?: readonly QueuedInput[];
}

/** A log whose lease this process holds, and its content. */
export interface OpenedLog {
  readonly writer: SessionWriter;
  /** True if it existed before this run. */
  readonly isOld: boolean;
  readonly resumed: ResumedLog;
}
