import type { HarnessError } from "../base/errors.ts";
import type { LogId, SessionId } from "../base/ids.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { EffortWord } from "../protocol/effort.ts";
import type { Event, PayloadOf } from "../protocol/events/events.ts";
import type { SpendTotals } from "./budget/spend.ts";
import type { CarriedState, IdleTurn } from "./moments.ts";

/** Beginning of a session that follows another one under a different profile (PROF-02). */
export interface Handover {
  readonly session: SessionId;
  readonly logId: LogId;
  /** Model to continue with if neither the profile nor the configuration names one that can be used. */
  readonly model: string;
  /** Log of the session before. */
  readonly previousLog: LogId;
  /** Cost of that session and those before it, if this one starts a log of its own. */
  readonly spentBefore?: SpendTotals;
  /** First events of its log. */
  readonly events: readonly Event[];
  /** Blocks of the session before that go with the first input. */
  readonly imported?: readonly InputBlock[];
  /** Keys of problems that were shown in the sessions before. */
  readonly shown: Set<string>;
}

/** Last turns of a conversation, as a text for the session that follows. */
export interface TurnsSummary {
  readonly turns: number;
  readonly text: string;
}

/** Opens a session with the wishes of the one before it, except for `changes`. */
export type Reopen<Opened> = (
  request: Omit<CommandOf<"CreateSession">, "kind">,
  handover: Handover,
  changes?: CarriedState & { readonly effort?: EffortWord },
) => Promise<Opened>;

/** A session that is ready to follow another one and has not started. */
export interface PreparedSwitch<Opened> {
  /** Payload for the subscribers of the session before, sent before it ends. */
  readonly event: PayloadOf<"ProfileSwitched"> & { readonly next: SessionId; readonly logId: LogId };
  /**
   * Starts it; in place, after the session before has released its log. If that fails in place, the session
   * continues under its old profile and `refused` says why.
   */
  open(): Promise<{ readonly opened: Opened; readonly refused?: HarnessError }>;
}

/**
 * Prepares a switch to another profile and changes nothing.
 * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused, ProfileInUse …
 */
export type PrepareSwitch = <Opened>(
  command: CommandOf<"SwitchProfile">,
  turn: IdleTurn,
  reopen: Reopen<Opened>,
) => Promise<PreparedSwitch<Opened>>;
