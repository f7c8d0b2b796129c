import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { LineTerminal } from "./input/terminal.ts";

export interface LineClientOptions {
  /** After its handshake. */
  readonly connection: Connection;
  readonly session: SessionId;
  readonly terminal: LineTerminal;
  /** The model in use at the start, as `provider:name`. */
  readonly model: string;
  /** Shows what the log already holds, for a session that goes on. */
  readonly history: boolean;
  /** The last event that was there before this client came: what came until then is told as the past. */
  readonly past?: EventSeq;
  /** The last event that stands on the screen already. */
  readonly shown?: EventSeq;
  /** Whether the engine lives on when this client has gone: leaving it stops nothing that others have begun. */
  readonly shared?: boolean;
  /** Whether what turns cost is not told after each: /cost tells it. */
  readonly quietCost?: boolean;
  /** What there is to tell of the engine itself: that it is away, or back. Ends with the signal. */
  readonly notices?: (signal: AbortSignal) => AsyncIterable<string>;
  /** Whether it takes the place of another one, under another profile: its first event tells so. */
  readonly isSwitch?: boolean;
  /** Lines that were typed before it began. */
  readonly typed?: readonly string[];
  /** Texts for the model that could not be sent before it began. */
  readonly kept?: readonly string[];
  readonly clock: Pick<Clock, "monotonic" | "now" | "timer">;
  readonly signal: AbortSignal;
}

export interface LineOutcome {
  /** The person left, closed the input, pressed Ctrl-C twice, or the session ended. */
  readonly why: "quit" | "closed" | "interrupt" | "ended";
  /** How the last turn of this session ended, where there was one. */
  readonly lastTurn?: TurnEndReason;
  /** Calls of that turn that did not run because nobody had allowed them; absent: none. */
  readonly refused?: number;
}
