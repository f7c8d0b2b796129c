import type { CommandOf } from "../protocol/commands/commands.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { TurnEndReason } from "../protocol/events/events.ts";
import type { RequestContext, RequestMiddleware } from "../providers/middleware.ts";
import type { ToolMiddleware } from "../tools/middleware.ts";
import type { ToolSource } from "../tools/tool.ts";
import type { ToolFacts } from "../tools/tool-facts.ts";
import type { PrepareSwitch } from "./handover.ts";
import type { EngineHost, SessionHost } from "./host.ts";
import type { NamespaceOwner } from "./keeping.ts";
import type { SessionLists } from "./lists.ts";
import type { CarriedState, IdleTurn, InputWants, TurnContext } from "./moments.ts";
import type { SessionPlan } from "./plan.ts";
import type { SessionCommands } from "./query-handlers.ts";

/**
 * One mechanism of a session, as its folder `features/<name>/feature.ts` exports it. `app/features.ts` lists them all.
 *
 * A manifest holds plain data and imports types only: all manifests are loaded at every start. The code behind it is
 * imported by `openEngine` and `open`.
 */
export interface Feature<Engine extends EngineFeature | undefined = EngineFeature | undefined> {
  /** Name of the folder. */
  readonly name: string;
  /** Facts of the tools that it can add: plain data, from its `tools.ts`. */
  readonly tools?: readonly ToolFacts[];
  /** Opens the part that outlives a session: a pool, a schedule, an exporter. Called once, when the engine starts. */
  openEngine?(host: EngineHost): Engine;
  /** True if the session needs the feature. Pure: it looks at the plan and nothing else. */
  isUsed(plan: SessionPlan): boolean;
  /**
   * Opens the feature in one session. Resolves to undefined if it turns out to have nothing to do.
   * @throws HarnessError if a setting of the user is wrong; the session then does not start.
   */
  open(host: SessionHost, engine: Engine): Promise<OpenFeature | undefined>;
}

/** Part of a feature that outlives a session. It is disposed with the engine. */
export interface EngineFeature extends AsyncDisposable {}

/** Place of a tool middleware. The order is normative: see `TOOL_ORDER` in `app/session/chains.ts`. */
export type ToolPlace =
  /** Outermost: sees every call, invalid ones too. */
  | "watch"
  /** After validation, before anything is judged: hooks of the user and of plugins. */
  | "hooks"
  /** After hooks: refuses or asks. */
  | "guard"
  /** After memoisation, before the ledger: records files before they change. */
  | "keep"
  /** Right around the tool, inside its time limit. Sees redacted output before truncation. */
  | "inner";

/** Place of a request middleware. The order is normative: see `REQUEST_ORDER` in `app/session/chains.ts`. */
export type RequestPlace =
  /** Outermost around a whole request. */
  | "watch"
  /** Adds to the system text and the messages. */
  | "context"
  /** Keeps the request within the model's window. */
  | "compact"
  /** Inside retry: counts and caps what one attempt costs. */
  | "spend"
  /** Innermost: around each attempt. */
  | "attempt";

/** A middleware with its place. At one place the order of `app/features.ts` holds, the first outermost. */
export type Around =
  | { readonly tool: ToolPlace; readonly run: ToolMiddleware }
  | { readonly request: RequestPlace; readonly run: RequestMiddleware };

/**
 * A feature in one session. Everything is optional; calls go to the features in the order of `app/features.ts`.
 *
 * Disposal comes after the last event.
 */
export interface OpenFeature extends SessionLists, Partial<AsyncDisposable> {
  readonly tools?: readonly ToolSource[];
  readonly around?: readonly Around[];
  /** Commands of the protocol that it handles, by kind. */
  readonly commands?: SessionCommands;
  /** Namespaces of custom commands that it owns. */
  readonly namespaces?: ReadonlyMap<string, NamespaceOwner>;
  /** The same for namespaces that are only known while the session runs. */
  readonly ownerOf?: (namespace: string) => NamespaceOwner | undefined;
  /** Wishes of an input that it handles in `onInput`. An input with another wish is refused. */
  readonly takes?: readonly (keyof InputWants)[];
  /**
   * Looks at an input before it is accepted and returns blocks to send with it. A refused input does not use up its turn number.
   * @throws HarnessError to refuse the input; the signal's reason.
   */
  onInput?(
    content: readonly InputBlock[],
    turn: TurnContext,
    wants: InputWants,
  ): Promise<readonly InputBlock[]>;
  /** Called each time a client subscribes. */
  onFollowed?(): void;
  /** Called at the end of each turn while the session is still busy, before clients see the end. */
  onTurnEnd?(reason: TurnEndReason, turn: TurnContext): Promise<void>;
  /** Called before the history is compacted. */
  onCompact?(
    moment: { readonly trigger: string; readonly tokens: number },
    context: RequestContext,
  ): Promise<void>;
  /** Handles RewindSession while no turn can begin; resolves to the result. */
  rewind?(request: CommandOf<"RewindSession">, turn: IdleTurn): Promise<unknown>;
  /** Prepares SwitchProfile. */
  readonly prepareSwitch?: PrepareSwitch;
  /** Number of tasks in the background. The session is not idle meanwhile. */
  running?(): number;
  /** State that a following session begins with. */
  carries?(): CarriedState;
  /**
   * Loads what can be loaded without asking anybody, before the session is handed out.
   * @throws HarnessError to end the start; the signal's reason.
   */
  ready?(signal: AbortSignal): Promise<void>;
  /** Sentences for the person at the start. */
  notices?(): readonly string[];
  /** Ends what it still runs, while events can still be published. */
  settle?(): Promise<void>;
}
