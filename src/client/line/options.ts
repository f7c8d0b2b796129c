import type { SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { TurnEndReason } from "../../protocol/events.ts";
import type { LineTerminal } from "./terminal.ts";

export interface LineClientOptions {
  /** After its handshake. */
  readonly connection: Connection;
  readonly session: SessionId;
  readonly terminal: LineTerminal;
  /** The model in use at the start, as `provider:name`. */
  readonly model: string;
  /** Shows what the log already holds, for a session that goes on. */
  readonly history: boolean;
  /** Lines that were typed before it began. */
  readonly typed?: readonly string[];
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  readonly signal: AbortSignal;
}

export interface LineOutcome {
  /** The person left, closed the input, pressed Ctrl-C twice, or the session ended. */
  readonly why: "quit" | "closed" | "interrupt" | "ended";
  /** How the last turn of this session ended, where there was one. */
  readonly lastTurn?: TurnEndReason;
}
