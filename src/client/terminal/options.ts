import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Connection } from "../../protocol/connection.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import type { EngineNotice } from "../../view/notes/engine-text.ts";
import type { Host } from "./host/host.ts";
import type { TerminalScreen, TerminalScreenOptions } from "./screen/screen.ts";

/** Name that each terminal client gives itself. */
export const TERMINAL_LABEL = "cinch terminal";

/** A session that is open, as the engine says. */
export interface OpenSession {
  readonly session: SessionId;
  /** The log that its run continues: another run has another session id, and the same draft. */
  readonly log: LogId;
  readonly profile: string;
  /** `provider:name`. */
  readonly model: string;
  /** True if it was there before: a stored one, or one that runs already. */
  readonly history: boolean;
  /** True if it takes the place of the one that was shown before: the draft goes along. Default: false. */
  readonly continues?: boolean;
  /** Its last event before this client attached. */
  readonly past: EventSeq;
  /** Request for another session with the same settings. Absent: this client begins none. */
  readonly fresh?: CommandOf<"CreateSession">;
  /** Sentences for the person at the start. */
  readonly notices: readonly string[];
  /** The one of them about sessions that are about to expire. Absent: none is. */
  readonly expiring?: string;
}

/** A session to show: a new one, or a stored one. */
export type WhichSession =
  | {
      readonly kind: "new";
      /** `provider:name`. Default: the model that the command line, the profile or the engine names. */
      readonly model?: string;
    }
  | {
      readonly kind: "stored";
      readonly info: Pick<SessionInfo, "session">;
      /** The event to show first. Default: the end of the session. */
      readonly at?: EventSeq;
      /** True: it takes the place of the one that is shown, and the draft goes along. Default: false. */
      readonly continues?: boolean;
    };

/** Facts of a new session that are known before it begins. */
export interface BegunSession {
  /** Model of the command line. Absent: it names none. */
  readonly model?: string;
  /** Absent: the configuration decides. */
  readonly level?: CommandOf<"SetLevel">["level"];
  readonly planMode: boolean;
}

/** An engine that is reached. */
export interface ReachedByTerminal {
  /** After its handshake. */
  readonly connection: Connection;
  /** True if the command line names a model, or a profile, which may name one. Default: false. */
  readonly isModelNamed?: boolean;
  /** Facts of a new session that the command line names. */
  readonly begins?: BegunSession;
  /** True if it was reached at a network address. Default: false. */
  readonly isOverNetwork?: boolean;
  /** The session that the command line names, if it names one. */
  readonly named?: OpenSession;
  /** The last session of this directory that a person could continue. */
  readonly last?: SessionInfo;
  /** Begins a session, or continues one. @throws HarnessError the engine's refusal. */
  open(which: WhichSession): Promise<OpenSession>;
}

export interface TerminalClientOptions {
  readonly version: string;
  /** For the header. */
  readonly workingDir: string;
  /** The engine, which may still start: the screen waits for nothing. */
  readonly engine: Promise<ReachedByTerminal>;
  /** False: no colours (NO_COLOR). Default: true. */
  readonly hasColours?: boolean;
  /** True: no costs in the status line (`--quiet-cost`). Default: false. */
  readonly isQuiet?: boolean;
  /** True: the screen appends to the scrollback of the main screen. Default: false, the whole screen. */
  readonly isInline?: boolean;
  /** True: the list of sessions is opened first, and `prompt` waits in the draft. Default: false. */
  readonly choosesSession?: boolean;
  /** Sent as the first prompt. */
  readonly prompt?: string;
  readonly host: Host;
  /** Yields sentences about the engine itself: that it is away, or back. Ends with the signal. */
  readonly notices?: (signal: AbortSignal) => AsyncIterable<EngineNotice>;
  readonly openScreen: (options: TerminalScreenOptions) => TerminalScreen;
  readonly clock: Pick<Clock, "monotonic" | "now" | "timer">;
  readonly signal: AbortSignal;
}

export interface TerminalOutcome {
  /** Reason of the end: the person left, or pressed Ctrl-C twice. */
  readonly why: "quit" | "interrupt";
  readonly session?: SessionId;
}
