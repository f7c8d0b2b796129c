import type { CacheBudget } from "../../base/cache-budget.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Bus } from "../../engine/bus/bus.ts";
import type { EngineParts, Turn } from "../../engine/loop/turn.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { PayloadOf, TurnEndReason } from "../../protocol/events/events.ts";
import type { NamespaceOwner } from "../commands/keeping.ts";
import type { QueryHandlers, SessionCommands } from "../commands/query-handlers.ts";
import type { OrphanFate, Unfinished } from "../history/unfinished.ts";
import type { IdleTurn, InputWants, TurnContext, WaitingInput } from "../moments.ts";
import type { Questions } from "../questions/questions.ts";

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
    turn: TurnContext,
    wants: InputWants,
  ) => Promise<readonly InputBlock[]>;
  /** What an input may ask for beside its words here; an input that asks for something else is refused. */
  readonly takes?: readonly (keyof InputWants)[];
  /** Told of the end of each turn while the session is still taken, before clients are. */
  readonly onTurnEnd?: (reason: TurnEndReason, turn: TurnContext) => Promise<void>;
  /** Sets files, conversation or both back, while no turn can begin; gives what it did, or would do. */
  readonly rewind?: (request: CommandOf<"RewindSession">, turn: IdleTurn) => Promise<unknown>;
  /** After how long with nobody to follow and nothing to do it ends, in milliseconds; absent: never (SES-11). */
  readonly idleTimeoutMs?: number;
  /** Whether it is pinned: it then never ends by itself. */
  readonly pinned?: boolean;
  /** Commands that the session's own parts carry out; what is absent is refused as not served. */
  readonly commands?: SessionCommands;
  /** The plugin that owns a namespace of custom commands in this session. */
  readonly ownerOf?: (namespace: string) => NamespaceOwner | undefined;
  /** Handlers of the queries that its features answer. */
  readonly queries?: QueryHandlers;
  /** How many tasks run in the background. */
  readonly tasksRunning?: () => number;
  /** Ends what the session still runs, while its events can still be told. */
  settle(): Promise<void>;
  /** Frees the rest, after the last event. */
  close(): Promise<void>;
}

/** What a turn shows of itself to those around it. */
export function surfaceOf(turn: Turn): TurnContext {
  const { number, originator, cancel } = turn;
  return {
    turn: number,
    originator,
    signal: cancel.signal,
    messages: () => turn.history.messages,
    emit: (event) => turn.publish(event),
  };
}
