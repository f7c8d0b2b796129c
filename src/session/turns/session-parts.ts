import type { CacheBudget } from "../../base/cache-budget.ts";
import type { ClientId, LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Bus } from "../../engine/bus/bus.ts";
import type { EngineParts, Turn } from "../../engine/loop/turn.ts";
import type { InnerCall, OrphanedCall, OrphanFate } from "../../engine/recover.ts";
import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Event, PayloadOf, TurnEndReason } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import type { History } from "../../providers/middleware.ts";
import type { AttachedClient } from "../access/client.ts";
import type { NamespaceOwner } from "../keeping.ts";
import type { Questions } from "../questions/questions.ts";
import type { InputWants, WaitingInput } from "./input-queue.ts";

/** What one live session is made of, and what it calls on. */
export interface SessionParts {
  readonly world: World;
  /** What all caches of the engine share. */
  readonly caches: CacheBudget;
  readonly session: SessionId;
  readonly logId: LogId;
  readonly bus: Bus;
  readonly questions: Questions;
  readonly engine: EngineParts;
  /** The turn that the log had come to. */
  readonly lastTurn: number;
  /** What an earlier run left unfinished; absent for a new log and after a clean end. */
  readonly unfinished?: Unfinished;
  /** A decision about its open calls that was made beforehand; absent: each is asked about. */
  readonly orphans?: OrphanFate;
  /** Inputs that an earlier run of the log had accepted and not begun, in order (R26). */
  readonly waiting?: readonly WaitingInput[];
  /**
   * Goes on with another model.
   * @param effort how hard it is to think from now on; absent: as before.
   * @returns sentences for the person.
   * @throws HarnessError UnknownProvider, UnknownModel, ProviderKeyMissing: the model stays as it was then.
   */
  setModel(
    name: string,
    signal: AbortSignal,
    effort?: CommandOf<"SetModel">["effort"],
  ): Promise<readonly string[]>;
  revokeRule(rule: string): boolean;
  /**
   * Writes a rule that is allowed in this session into the profile in use, bound to the working directory unless it is to
   * hold everywhere. Undefined where no rule reads so.
   * @throws HarnessError where the profile cannot be written to.
   */
  promoteRule(
    rule: string,
    { everywhere }: { readonly everywhere: boolean },
  ): Promise<Omit<PayloadOf<"RulePromoted">, "rule" | "by"> | undefined>;
  /** Told each time a client has begun to follow: what waits to be asked can be asked now. */
  readonly onFollowed?: () => void;
  /**
   * Looks at an input before it is accepted, and gives what goes to the model with it.
   * @throws HarnessError where it is refused; the signal's reason.
   */
  readonly onInput?: (
    content: readonly InputBlock[],
    turn: TurnSurface,
    wants: InputWants,
  ) => Promise<readonly InputBlock[]>;
  /** What an input may ask for beside its words here; an input that asks for something else is refused. */
  readonly takes?: readonly (keyof InputWants)[];
  /** Told of the end of each turn while the session is still taken, before clients are. */
  readonly onTurnEnd?: (reason: TurnEndReason, turn: TurnSurface) => Promise<void>;
  /** Sets files, conversation or both back, while no turn can begin; gives what it did, or would do. */
  readonly rewind?: (request: CommandOf<"RewindSession">, turn: QuietTurn) => Promise<unknown>;
  /** After how long with nobody to follow and nothing to do it ends, in milliseconds; absent: never (SES-11). */
  readonly idleTimeoutMs?: number;
  /** Whether it is pinned: it then never ends by itself. */
  readonly pinned?: boolean;
  /** Commands that the session's own parts carry out; what is absent is refused as not served. */
  readonly commands?: SessionCommands;
  /** Who owns which namespace of custom commands in this session. */
  readonly namespaces?: { get(namespace: string): NamespaceOwner | undefined };
  /** How many tasks run in the background. */
  readonly tasksRunning?: () => number;
  /** Ends what the session still runs, while its events can still be told. */
  settle(): Promise<void>;
  /** Frees the rest, after the last event. */
  close(): Promise<void>;
}

/** Commands of one session that are carried out by what it is composed of. */
export type PartCommand = "EnterPlanMode" | "ExitPlanMode" | "ReloadSkills" | "ManageMcp" | "StopTask";

/**
 * What carries them out, by their kind. Resolves once the command is accepted.
 * @throws HarnessError where it is refused.
 */
export type SessionCommands = {
  readonly [Kind in PartCommand]?: (command: CommandOf<Kind>, client: AttachedClient) => Promise<Accepted>;
};

/** A turn, for what runs before it begins and after it has come to its end. */
export interface TurnSurface {
  readonly turn: number;
  /** Who sent what began it. */
  readonly originator: ClientId;
  readonly signal: AbortSignal;
  readonly emit: (event: Event) => void;
  /** The conversation as it stands. */
  messages?(): readonly Message[];
}

/** What works on a session while no turn can begin. `turn` is the newest one. */
export interface QuietTurn extends TurnSurface {
  readonly history: History;
}

/** A turn that broke off with the process that ran it. */
export interface Unfinished {
  /** Undefined where only calls are open. */
  readonly turn?: number;
  readonly calls: readonly OrphanedCall[];
  /** What sub-agents were in the middle of: nobody waits for its result any more. */
  readonly inner?: readonly InnerCall[];
}

/** What a turn shows of itself to those around it. */
export function surfaceOf(turn: Turn): TurnSurface {
  const { number, originator, cancel } = turn;
  return {
    turn: number,
    originator,
    signal: cancel.signal,
    messages: () => turn.history.messages,
    emit: (event) => turn.publish(event),
  };
}
