import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { EngineNotice } from "../../view/notes/engine-text.ts";
import type { NotifiedEvent } from "../../view/notified-events.ts";
import type { LineTerminal } from "./input/terminal.ts";

export interface LineClientOptions {
  /** A connection whose handshake is done. */
  readonly connection: Connection;
  readonly session: SessionId;
  readonly terminal: LineTerminal;
  /** The model in use at the start, as `provider:name`. */
  readonly model: string;
  /** True to print the events already in the log, for a resumed session. */
  readonly history: boolean;
  /** The last event before this client attached. Events up to it are printed as history. */
  readonly past?: EventSeq;
  /** The last event that is on the screen already. */
  readonly shown?: EventSeq;
  /** True if the engine outlives this client: leaving then stops nothing that other clients started. */
  readonly shared?: boolean;
  /** True if the engine was reached at a network address. Such a listener takes no key of a provider. */
  readonly overNetwork?: boolean;
  /** True to leave out the cost after each turn; /cost still shows it. */
  readonly quietCost?: boolean;
  /**
   * True for a screen reader: prompt, answers and calls have labels, and nothing is drawn again with time.
   * Default: false.
   */
  readonly isLabelled?: boolean;
  /** Moments at which the terminal rings its bell. Default: none. */
  readonly rings?: readonly NotifiedEvent[];
  /** Emits notices about the engine itself: that it is unreachable, or back. Ends with the signal. */
  readonly notices?: (signal: AbortSignal) => AsyncIterable<EngineNotice>;
  /** True if this session replaces another one under a new profile; its first event reports it. */
  readonly isSwitch?: boolean;
  /** Request for another session with the settings of this client, for /new. Default: it begins none. */
  readonly fresh?: CommandOf<"CreateSession">;
  /** Lines that were typed before this session was opened. */
  readonly typed?: readonly string[];
  /** Texts for the model that could not be sent before this session was opened. */
  readonly unsentInputs?: readonly string[];
  readonly clock: Pick<Clock, "monotonic" | "now" | "timer">;
  readonly signal: AbortSignal;
}

export interface LineOutcome {
  /** Reason of the end: the user left, closed the input, pressed Ctrl-C twice, or the session ended. */
  readonly why: "quit" | "closed" | "interrupt" | "ended";
  /** End reason of the last turn of this session, if it had one. */
  readonly lastTurn?: TurnEndReason;
  /** Number of calls of that turn that did not run for want of permission. Default: 0. */
  readonly refused?: number;
}
