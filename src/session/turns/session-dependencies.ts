import type { CacheBudget } from "../../base/cache-budget.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Bus } from "../../engine/bus/bus.ts";
import type { EngineDependencies, Turn } from "../../engine/loop/turn.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { ResultOfCommand } from "../../protocol/commands/results.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { PayloadOf, TurnEndReason } from "../../protocol/events/events.ts";
import type { Level } from "../../tools/tool-facts.ts";
import type { QueryHandlers, SessionCommands } from "../commands/query-handlers.ts";
import type { NamespaceOwner } from "../commands/stored-session-commands.ts";
import type { OrphanFate, Unfinished } from "../history/unfinished.ts";
import type { Attachments, IdleTurn, InputWants, QueuedInput, TakeUnsaved, TurnContext } from "../moments.ts";
import type { Questions } from "../questions/questions.ts";

/** Dependencies of one live session. */
export interface SessionDependencies {
  readonly world: World;
  /** Budget that all caches of the engine share. */
  readonly caches: CacheBudget;
  readonly session: SessionId;
  readonly logId: LogId;
  readonly bus: Bus;
  readonly questions: Questions;
  readonly engine: EngineDependencies;
  /** Name of the tool that runs people's commands (RunShell). Absent: they run none. */
  readonly shellTool?: string;
  /** The last turn of the log. */
  readonly lastTurn: number;
  /** Unfinished work of an earlier run; absent for a new log and after a clean end. */
  readonly unfinished?: Unfinished;
  /** Advance decision about its open calls; absent: each is asked about. */
  readonly orphans?: OrphanFate;
  /** Inputs that an earlier run of the log had accepted and not started, in order (R26). */
  readonly waiting?: readonly QueuedInput[];
  /**
   * Switches to another model.
   * @param effort effort of thinking from now on; absent: as before.
   * @returns sentences for the person.
   * @throws HarnessError UnknownProvider, UnknownModel, ProviderKeyMissing: the model then stays as it was.
   */
  setModel(
    name: string,
    signal: AbortSignal,
    effort?: CommandOf<"SetModel">["effort"],
  ): Promise<readonly string[]>;
  /** Returns the effort that a client has chosen for the session; undefined if the settings decide. */
  chosenEffort(): CommandOf<"SetModel">["effort"];
  /**
   * Sets the level from the next call on. `changed` is false if it was the level before.
   * @throws HarnessError InvalidCommand if a restriction does not allow it: the level then stays as it was.
   */
  setLevel(level: Level): { readonly changed: boolean; readonly notices: readonly string[] };
  revokeRule(rule: string): boolean;
  /**
   * Writes a rule that is allowed in this session into the profile in use. The rule is bound to the working directory
   * unless it should apply everywhere. Resolves to undefined if there is no such rule.
   * @throws HarnessError if the profile cannot be written.
   */
  promoteRule(
    rule: string,
    { everywhere }: { readonly everywhere: boolean },
  ): Promise<Omit<PayloadOf<"RulePromoted">, "rule" | "by"> | undefined>;
  /** Called each time a client has subscribed: waiting questions can be asked now. */
  readonly onFollowed?: () => void;
  /**
   * Examines an input before it is accepted, and returns blocks to send with it.
   * @throws HarnessError if it is refused; the signal's reason.
   */
  readonly onInput?: (
    content: readonly InputBlock[],
    turn: TurnContext,
    wants: InputWants,
  ) => Promise<readonly InputBlock[]>;
  /** Files for inputs. Absent: an input with one is refused. */
  readonly attachments?: Attachments;
  /** Takes unsaved texts of files. Absent: an input with one is refused. */
  readonly unsaved?: TakeUnsaved;
  /** Returns words for content of an input that the model in use cannot take. Absent: it is known to take all. */
  readonly leftOut?: (content: readonly InputBlock[]) => Promise<readonly string[]>;
  /** Wishes of an input that are handled here; an input with another one is refused. */
  readonly takes?: readonly (keyof InputWants)[];
  /** Called at the end of each turn while the session is still busy, before clients see it. */
  readonly onTurnEnd?: (reason: TurnEndReason, turn: TurnContext) => Promise<void>;
  /** Returns the files that a turn changed, once `onTurnEnd` has run; undefined if they are not known. */
  readonly turnFiles?: (turn: number) => readonly string[] | undefined;
  /**
   * Sets files, conversation or both back, while no turn can start; resolves to a report of what it did, or would do.
   */
  readonly rewind?: (
    request: CommandOf<"RewindSession">,
    turn: IdleTurn,
  ) => Promise<ResultOfCommand<"RewindSession">>;
  /** Milliseconds without subscribers and work after which it ends; absent: never (SES-11). */
  readonly idleTimeoutMs?: number;
  /** True: it may be removed with its end. Until it is used, it ends after `PROVISIONAL_MS` without subscribers. */
  readonly provisional?: boolean;
  /** True: it follows another session, by the choice of a person. */
  readonly followsAnother?: boolean;
  /** Returns the permission level that holds now; absent if nothing is gated. */
  readonly level?: () => Level;
  /** True if it is pinned: it then never ends by itself. */
  readonly pinned?: boolean;
  /** Commands that features of the session handle; others are refused as not served. */
  readonly commands?: SessionCommands;
  /** Returns the plugin that owns a namespace of custom commands in this session. */
  readonly ownerOf?: (namespace: string) => NamespaceOwner | undefined;
  /** Handlers of the queries that its features answer. */
  readonly queries?: QueryHandlers;
  /** Returns the number of tasks in the background. */
  readonly tasksRunning?: () => number;
  /** Ends the remaining work, while events can still be published. */
  settle(): Promise<void>;
  /**
   * Frees the rest, after the last event.
   * @param isLeft true if it is provisional, and no client looks for it again.
   */
  close(isLeft: boolean): Promise<void>;
}

/** Returns the context of a turn for features. */
export function turnContext(turn: Turn): TurnContext {
  const { number, originator, cancel } = turn;
  return {
    turn: number,
    originator,
    signal: cancel.signal,
    messages: () => turn.history.messages,
    emit: (event) => turn.publish(event),
  };
}
