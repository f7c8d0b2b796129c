import type { HarnessError } from "../base/errors.ts";
import type { CommandSpec } from "../protocol/commands/command-spec.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { ResultOfCommand } from "../protocol/commands/results.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { TurnEndReason } from "../protocol/events/events.ts";
import type { RequestContext, RequestMiddleware } from "../providers/middleware.ts";
import type { ToolMiddleware } from "../tools/middleware.ts";
import type { ToolSource } from "../tools/tool.ts";
import type { ToolFacts } from "../tools/tool-facts.ts";
import type { CliCommand, UnattendedEngine } from "./commands/cli-command.ts";
import type { DoctorCheck } from "./commands/doctor-check.ts";
import type { SessionLists } from "./commands/lists.ts";
import type { QueryHandlers, SessionCommands } from "./commands/query-handlers.ts";
import type { NamespaceOwner } from "./commands/stored-session-commands.ts";
import type { ConfigSection } from "./config-section.ts";
import type { EnginePort } from "./engine-port.ts";
import type { PluginRules } from "./guard/policy.ts";
import type {
  JudgeFiles,
  ReadItems,
  SessionTrust,
  SettingsPlace,
  TrustItem,
  UnusableItems,
} from "./guard/trust.ts";
import type { PrepareSwitch } from "./handover.ts";
import type { BackReader } from "./history/read-back.ts";
import type { EngineHost, SessionHost } from "./host.ts";
import type { CarriedState, IdleTurn, InputWants, TurnContext } from "./moments.ts";
import type { Desktop, DesktopPlace, EngineOptions } from "./options.ts";
import type { SessionPlan } from "./plan.ts";

/**
 * One mechanism of a session, as its folder `features/<name>/feature.ts` exports it. `app/features.ts` lists them all.
 *
 * A manifest holds plain data and imports types only: all manifests are loaded at every start. The code behind it is
 * imported by `openEngine` and `open`.
 */
export interface Feature<Engine extends EngineFeature | undefined = EngineFeature | undefined> {
  /** Name of the folder. */
  readonly name: string;
  /** Sections of the settings: plain data, from its `config.ts`. */
  readonly config?: readonly ConfigSection[];
  /** Facts of the tools that it can add: plain data, from its `tools.ts`. */
  readonly tools?: readonly ToolFacts[];
  /** Slash commands: plain data, from its `commands.ts`. */
  readonly commands?: readonly CommandSpec[];
  /** Subcommand of `cinch`: plain data, from its `cli/command.ts`. */
  readonly cli?: CliCommand;
  /** Examinations of `cinch doctor`. */
  readonly checks?: readonly DoctorCheck[];
  /** Reads the files of the project that it would load, for a person to acknowledge. */
  readonly trustItems?: ReadItems;
  /** Returns those of these items of which nothing would be loaded: a session starts without their acknowledgement. */
  unusable?(items: readonly TrustItem[]): Promise<UnusableItems>;
  /** Returns the problems of a profile that its sections alone cannot find. */
  profileProblems?(profile: Pick<SessionPlan["profile"], "skillPacks">): readonly ProfileProblem[];
  /** Returns the names of the skills that a session here would find, acknowledged or not. */
  skillNames?(at: SettingsHere): Promise<readonly string[]>;
  /** Returns a reader of the state that a stored session ended in. */
  readBack?(): Promise<StateReader>;
  /** Works beside an engine for as long as `cinch serve` runs. */
  whileServing?(at: ServingEngine): Promise<AsyncDisposable>;
  /** Opens a way to the user's desktop; undefined if this machine has none. */
  openDesktop?(at: DesktopPlace): Promise<Desktop | undefined>;
  /** Opens the part that outlives a session: a pool, an exporter. Called once, before the first session that needs it. */
  openEngine?(host: EngineHost): Promise<Engine>;
  /** Set if opening it starts programs: a command that only inspects a session leaves it closed. */
  readonly startsPrograms?: true;
  /** True if its part of the engine has to be open as soon as the engine serves clients. */
  serves?(host: EngineHost): boolean;
  /**
   * Finds files whose author decides what runs as the user, beside the settings themselves (S39). A model may not write them.
   */
  readonly steeringFiles?: (at: SettingsPlace) => Promise<readonly string[]>;
  /** Returns true if the session needs the feature. Pure: reads the plan and nothing else. */
  isUsed(plan: SessionPlan): boolean;
  /**
   * Returns the permission rules that the feature brings to a session, before its plan is made.
   * @throws HarnessError if the session cannot start as its user wants.
   */
  rules?(at: {
    readonly trust: SessionTrust;
    readonly host: EngineHost;
    readonly engine: () => Promise<Engine>;
  }): Promise<PluginRules | undefined>;
  /**
   * Opens the feature in one session. Resolves to undefined if it has nothing to do.
   * @throws HarnessError if a setting of the user is wrong; the session then does not start.
   */
  open(host: SessionHost, engine: Engine): Promise<OpenFeature | undefined>;
}

/** A problem of a profile. A session under it cannot start. */
export interface ProfileProblem {
  /** Name of the key in the file. */
  readonly key: string;
  readonly error: HarnessError;
}

/** Folder to work in, with the settings that a session there would have. */
export interface SettingsHere
  extends Pick<EngineOptions, "world" | "paths" | "workingDir" | "environment">,
    Pick<SessionPlan, "config" | "profile"> {
  /** Judges files as the session does. Records nothing. */
  readonly judge: JudgeFiles;
}

/** Reads events from the newest to the oldest, and keeps the state that the next run starts with. */
export interface StateReader extends BackReader {
  readonly state: CarriedState;
}

/** An engine that `cinch serve` runs. */
export interface ServingEngine extends Pick<EngineOptions, "world" | "paths"> {
  readonly engine: Pick<UnattendedEngine, "openUnattended" | "attach">;
  /**
   * Checks the profile of an unattended run: the one that is named, or the default.
   * @throws HarnessError for one that a model may have changed.
   */
  checkProfile(named: string | undefined, cwd: string): Promise<void>;
}

/** Part of a feature that outlives a session. It is disposed with the engine. */
export interface EngineFeature extends AsyncDisposable {
  /** Opens transports that the feature brings, once the engine serves clients. */
  serve?(port: EnginePort): Promise<void>;
}

/** Place of a tool middleware. The order is normative: see `app/session/chains/session.ts`. */
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

/** Place of a request middleware. The order is normative: see `app/session/chains/session.ts`. */
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
  | { readonly tool: ToolPlace; readonly request?: never; readonly run: ToolMiddleware }
  | { readonly request: RequestPlace; readonly tool?: never; readonly run: RequestMiddleware };

/**
 * A feature in one session. Everything is optional; calls go to the features in the order of `app/features.ts`.
 *
 * Disposal comes after the last event.
 */
export interface OpenFeature extends SessionLists, Partial<AsyncDisposable> {
  readonly tools?: readonly ToolSource[];
  readonly around?: readonly Around[];
  /** Queries that it answers, by kind. */
  readonly queries?: QueryHandlers;
  /** Commands of the protocol that it handles, by kind. */
  readonly commands?: SessionCommands;
  /** Returns the plugin that owns a namespace of custom commands. */
  readonly ownerOf?: (namespace: string) => NamespaceOwner | undefined;
  /** Wishes of an input that it handles in `onInput`. An input with another wish is refused. */
  readonly takes?: readonly (keyof InputWants)[];
  /**
   * Examines an input before it is accepted and returns blocks to send with it. A refused input does not use up its
   * turn number.
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
  rewind?(request: CommandOf<"RewindSession">, turn: IdleTurn): Promise<ResultOfCommand<"RewindSession">>;
  /** Prepares SwitchProfile. */
  readonly prepareSwitch?: PrepareSwitch;
  /** Number of tasks in the background. The session is not idle meanwhile. */
  running?(): number;
  /** Returns the state that a following session starts with. */
  carries?(): CarriedState;
  /**
   * Loads all that needs no question, before the session is handed out.
   * @throws HarnessError to end the start; the signal's reason.
   */
  ready?(signal: AbortSignal): Promise<void>;
  /** Returns sentences for the person at the start. */
  notices?(): readonly string[];
  /** Ends what it still runs, while events can still be published. */
  settle?(): Promise<void>;
}
