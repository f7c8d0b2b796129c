import type { HarnessError } from "../base/errors.ts";
import type { HarnessPaths } from "../base/files/harness-paths.ts";
import type { Tree } from "../base/files/tree.ts";
import type { LogId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { CommandSpec } from "../protocol/commands/command-spec.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { ResultOfCommand } from "../protocol/commands/results.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { TurnEndReason } from "../protocol/events/events.ts";
import type { QueryKind } from "../protocol/kinds.ts";
import type { Message } from "../protocol/message.ts";
import type { EngineHealth, ProfileInfo } from "../protocol/resources.ts";
import type { RequestContext, RequestMiddleware } from "../providers/middleware.ts";
import type { Redactor } from "../safety/redact.ts";
import type { ToolCall, ToolMiddleware } from "../tools/middleware.ts";
import type { ToolContext, ToolSource } from "../tools/tool.ts";
import type { ToolFacts } from "../tools/tool-facts.ts";
import type { NoticeWays } from "../view/notified-events.ts";
import type { CliCommand, UnattendedEngine } from "./commands/cli-command.ts";
import type { DoctorCheck } from "./commands/doctor-check.ts";
import type { SessionLists } from "./commands/lists.ts";
import type { QueryHandlers, SessionCommands } from "./commands/query-handlers.ts";
import type { RuntimeTools, RuntimeToolsContext } from "./commands/runtime-tools.ts";
import type { ServerCreds } from "./commands/server-creds.ts";
import type { CheckedFile, FilesToCheck, SettingsToCheck } from "./commands/settings-check.ts";
import type { NamespaceOwner } from "./commands/stored-session-commands.ts";
import type { DeclaredSection, Mistake } from "./config-section.ts";
import type { EnginePort } from "./engine-port.ts";
import type { PluginRules } from "./guard/policy.ts";
import type {
  JudgedProject,
  JudgeFiles,
  ReadItems,
  SettingsContext,
  TrustItem,
  TrustLayout,
  UnusableItems,
} from "./guard/trust.ts";
import type { PrepareSwitch, TurnsSummary } from "./handover.ts";
import type { BackReader } from "./history/read-back.ts";
import type { EngineHandles, EngineHost, SessionFeatures, SessionHost } from "./host.ts";
import type { Attachments, CarriedState, IdleTurn, InputWants, TakeUnsaved, TurnContext } from "./moments.ts";
import type { Desktop, DesktopContext, EngineOptions } from "./options.ts";
import type { SessionPlan, SessionWishes } from "./plan.ts";
import type { Config, Profile, SectionValues } from "./settings/settings.ts";
import type { AgentRunner } from "./spawn.ts";

/**
 * One mechanism of a session, as its folder `features/<name>/feature.ts` exports it. `app/features.ts` lists them all.
 *
 * A manifest holds plain data and short functions: all manifests are loaded at every start. It imports types, and the
 * declarations of its own folder (`config.ts`, `tools.ts`, `commands.ts`, `trust-files.ts`, `cli/command.ts`). The code
 * behind it is imported when it is called.
 */
export interface Feature<Engine extends EngineFeature | undefined = EngineFeature | undefined> {
  /** Name of the folder. */
  readonly name: string;
  /** Sections of the settings, and keys that it adds to others: plain data, from its `config.ts`. */
  readonly config?: readonly DeclaredSection[];
  /** Facts of the tools that it can add: plain data, from its `tools.ts`. */
  readonly tools?: readonly ToolFacts[];
  /** Slash commands: plain data, from its `commands.ts`. */
  readonly commands?: readonly CommandSpec[];
  /** Subcommand of `cinch`: plain data, from its `cli/command.ts`. */
  readonly cli?: CliCommand;
  /** Files that it would load, for a person to acknowledge. */
  readonly trust?: FeatureFiles;
  /** Finds mistakes in what its user has written and stored. */
  readonly check?: FeatureChecks;
  /** Contributions to a session that can be listed without one. */
  readonly offers?: FeatureOffers;
  /** Work on stored sessions that do not run. */
  readonly stored?: StoredSessions;
  /** Work for an engine that serves clients. */
  readonly serving?: FeatureServing;
  /** Set if the engine of a program that embeds cinch has it, too: it needs neither files of a user nor clients. */
  readonly inPrograms?: FeatureInPrograms;
  /** Set if opening it starts programs: a command that only inspects a session leaves it closed. */
  readonly startsPrograms?: true;
  /** Loads the work on credentials of its servers. At most one feature has it. */
  serverCreds?(): Promise<ServerCreds>;
  /** Returns the moments that the user's configuration notifies of by the terminal and on the desktop. */
  noticeWays?(config: Config): NoticeWays;
  /** Opens a way to the user's desktop; undefined if this machine has none. */
  openDesktop?(at: DesktopContext): Promise<Desktop | undefined>;
  /**
   * Opens the part that outlives a session: a pool, an exporter. Called once, before the first session that needs it.
   */
  openEngine?(host: EngineHost): Promise<Engine>;
  /** Returns true if the session needs the feature. Pure: reads the plan and nothing else. */
  isUsed(plan: SessionPlan): boolean;
  /**
   * Returns the permission rules that the feature brings to a session, before its plan is made. Those of several
   * features are joined.
   * @throws HarnessError if the session cannot start as its user wants.
   */
  rules?(at: {
    readonly project: JudgedProject;
    readonly host: EngineHost;
    readonly engine: () => Promise<Engine>;
  }): Promise<PluginRules | undefined>;
  /**
   * Opens the feature in one session. Resolves to undefined if it has nothing to do.
   * @throws HarnessError if a setting of the user is wrong; the session then does not start.
   */
  open(host: SessionHost, engine: Engine): Promise<OpenFeature | undefined>;
}

/** Files of a feature that a person acknowledges, and those that a model may not write. */
export interface FeatureFiles {
  /** Files below `.cinch`, `.agents` and the user's folders that it loads: plain data, from its `trust-files.ts`. */
  readonly layouts?: readonly TrustLayout[];
  /** Reads files elsewhere in the project that it would load. */
  readonly items?: ReadItems;
  /** Returns those of these items of which nothing would be loaded: a session starts without their acknowledgement. */
  unusable?(items: readonly TrustItem[]): Promise<UnusableItems>;
  /** Returns the errors in items, as sentences for the person. Nothing of such an item is used. */
  errors?(items: readonly TrustItem[]): Promise<readonly string[]>;
  /**
   * Finds files whose author decides what runs as the user, beside the settings themselves (S39). A model may not
   * write them.
   */
  steering?(at: SettingsContext): Promise<readonly string[]>;
}

/** Finds mistakes that the sections of a feature alone cannot find. */
export interface FeatureChecks {
  /** Examinations of `cinch doctor`. */
  readonly doctor?: readonly DoctorCheck[];
  /** Returns the problems of a profile. */
  profile?(profile: Pick<Profile, "sections" | "path">): readonly ProfileProblem[];
  /** Returns the mistakes in the settings of one file. */
  settings?(settings: SettingsToCheck): Promise<readonly Mistake[]>;
  /** Reads the files beside the settings that it would load, acknowledged or not, with their mistakes. */
  files?(at: FilesToCheck): Promise<readonly CheckedFile[]>;
}

/** Contributions of a feature that commands list without opening a session. */
export interface FeatureOffers {
  /** Returns the tools that a session learns only when it runs, as far as they are known before. */
  tools?(context: RuntimeToolsContext): Promise<RuntimeTools>;
  /** Returns the names of the skills that a session here would find, acknowledged or not. */
  skills?(at: SettingsHere): Promise<readonly string[]>;
  /** Returns its part of a profile, as clients see it. */
  profile?(profile: Profile): Partial<ProfileInfo>;
  /**
   * Loads the providers that it would bring to a session, to list their models.
   * @param profile only its path and plugins count.
   */
  providers?(host: EngineHandles, profile: Pick<Profile, "path" | "plugins">): Promise<ProviderOffer>;
}

/** Work of a feature on stored sessions. */
export interface StoredSessions {
  /** Returns a reader of the state that a stored session ended in. */
  readBack?(): Promise<StateReader>;
  /** Loads the work on files that it keeps beside stored logs. */
  logFiles?(): Promise<LogFiles>;
  /** Queries that it answers about sessions, stored or running. The handlers of a running session go first. */
  readonly queries?: {
    readonly kinds: readonly QueryKind[];
    load(host: StoredQueryHost): Promise<QueryHandlers>;
  };
}

/** Handles for queries about stored sessions. */
export interface StoredQueryHost
  extends Pick<EngineHost, "world" | "paths" | "models" | "store" | "environment" | "writable"> {
  /** Removes known secrets from text: keys, and those of the engine's environment. */
  redactor(): Promise<Redactor>;
  /** Loads the operations on folders of the real machine. */
  tree(): Promise<Tree>;
}

/** Work of a feature for an engine that serves clients. */
export interface FeatureServing {
  /** Optional features that its clients may rely on: plain data. */
  readonly handshake?: readonly HandshakeFeature[];
  /** True if its part of the engine has to be open as soon as the engine serves clients. */
  atStart?(host: EngineHost): boolean;
  /** Works beside an engine for as long as `cinch serve` runs. */
  beside?(at: ServingEngine): Promise<AsyncDisposable>;
}

/** An optional feature of an engine that the handshake names ([A] § Handshake). */
export interface HandshakeFeature {
  readonly name: string;
  /** Position in the list of the handshake, the smallest first. Unique. */
  readonly order: number;
}

/** A feature in the engine of a program that embeds cinch. */
export interface FeatureInPrograms {
  /** Returns values of its sections, from the program's wishes. */
  settings?(wishes: ProgramWishes): SectionValues;
}

/** A problem of a profile. A session under it cannot start. */
export interface ProfileProblem {
  /** Name of the key in the file. */
  readonly key: string;
  readonly error: HarnessError;
}

/** Folder to work in, with the settings that a session there would have. */
export interface SettingsHere
  extends Pick<EngineOptions, "world" | "paths" | "workingDir">,
    Pick<SessionWishes, "environment">,
    Pick<SessionPlan, "config" | "profile"> {
  /** Judges files as the session does. Records nothing. */
  readonly judge: JudgeFiles;
}

/** Reads events from the newest to the oldest, and keeps the state that the next run starts with. */
export interface StateReader extends BackReader {
  readonly state: CarriedState;
}

/** Wishes of a program for the engine inside it. */
export interface ProgramWishes {
  /** Tokens of the model's window. Default: what the provider's catalogue says. */
  readonly contextTokens?: number;
}

/** Providers that a feature brings, until the offer is disposed. */
export interface ProviderOffer extends AsyncDisposable {
  /** Names of plugins, by the names of their providers. */
  readonly owners: ReadonlyMap<string, string>;
  /** Plugins that offer nothing, by name or path, and why. */
  readonly problems: readonly ({ readonly provider: string } & (
    | { readonly error: string }
    | { readonly notice: string }
  ))[];
}

/** Machine and folders of stored logs. */
export interface LogFilesOptions {
  readonly world: Pick<World, "files" | "random">;
  readonly paths: Pick<HarnessPaths, "data">;
}

/** Files that a feature keeps for stored logs, below the data folder. They expire and go with their log. */
export interface LogFiles {
  /**
   * Removes the files of a log whose content from before a day has expired, if nothing was added since (SES-06).
   * @param beforeDay as YYYY-MM-DD.
   */
  expire(log: LogId, beforeDay: string, at: LogFilesOptions): Promise<void>;
  /** Removes all files of a log for good, also of one that has none any more. */
  remove(log: LogId, at: LogFilesOptions): Promise<void>;
  /**
   * Marks the files of all logs as sealed under an earlier key, before the key changes.
   * @param logKey the new key.
   */
  markEarlierKey(logKey: Uint8Array, at: LogFilesOptions): Promise<void>;
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
  /** Returns its part of the engine's health. */
  health?(): Partial<EngineHealth>;
}

/** Place of a tool middleware. `app/session/chains/order.ts` holds the order of all places. */
export type ToolPosition =
  /** Before validation: sees every call, invalid ones too. */
  | "watch"
  /** After validation, before anything is judged: hooks of the user and of plugins. */
  | "hooks"
  /** After hooks, before the permission gate: refuses or asks. */
  | "guard"
  /** After memoisation, before the ledger: records files before they change. */
  | "keep"
  /** Right around the tool, inside its time limit. Sees redacted output before truncation. */
  | "inner";

/** Place of a request middleware. `app/session/chains/order.ts` holds the order of all places. */
export type RequestPosition =
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
  | { readonly tool: ToolPosition; readonly request?: never; readonly run: ToolMiddleware }
  | { readonly request: RequestPosition; readonly tool?: never; readonly run: RequestMiddleware };

/** Parts of a feature that need the other features. They count right after the others of the same feature. */
export interface JoinedParts extends Pick<OpenFeature, "onInput" | "prepareSwitch" | "queries" | "unsaved"> {
  readonly around?: readonly Extract<Around, { readonly request: RequestPosition }>[];
}

/** Forecast about a call, besides the verdict of the permission gate. */
export interface CallForecast {
  /** `refuses`: nobody is asked. `may-refuse`: only running code of the user would tell. */
  readonly kind: "refuses" | "may-refuse";
  /** Phrase for the person. */
  readonly why: string;
  /** Phrase for the person: the way to let a refused call through. */
  readonly remedy?: string;
}

/**
 * A feature in one session. Everything is optional; calls go to the features in the order of `app/features.ts`.
 *
 * Lists of several features are concatenated. Some things exist once in a session: `rewind`, `prepareSwitch`, a kind
 * in `commands` or `queries`, a key in `carries`, a namespace in `ownerOf`. A second feature with the same one ends
 * the start, or the call of `ownerOf`.
 *
 * Disposal comes after the last event.
 */
export interface OpenFeature extends SessionLists, Partial<AsyncDisposable> {
  /** Returns the parts that need the other features. Called once, when all are open. */
  join?(features: SessionFeatures): JoinedParts;
  readonly tools?: readonly ToolSource[];
  /** Returns the tools that run other agents. Called once, when the session is composed. */
  agentTools?(agents: AgentRunner): readonly ToolSource[];
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
  /**
   * Says what its middleware may do to a planned call before the permission gate judges it. Runs nothing of the call,
   * and no code of the user.
   */
  forecast?(call: ToolCall, context: ToolContext): Promise<readonly CallForecast[]>;
  /** Called each time a client subscribes. */
  onFollowed?(): void;
  /** Called at the end of each turn while the session is still busy, before clients see the end. */
  onTurnEnd?(reason: TurnEndReason, turn: TurnContext): Promise<void>;
  /** Returns the files that a turn changed, once its `onTurnEnd` has run; undefined if they are not known. */
  turnFiles?(turn: number): readonly string[] | undefined;
  /** Called before the history is compacted. */
  onCompact?(
    moment: { readonly trigger: string; readonly tokens: number },
    context: RequestContext,
  ): Promise<void>;
  /** Summarises the last turns of a conversation for a session that follows; undefined if nothing was said. */
  summary?(messages: readonly Message[], turnsMax: number): Promise<TurnsSummary | undefined>;
  /** Handles RewindSession while no turn can begin; resolves to the result. */
  rewind?(request: CommandOf<"RewindSession">, turn: IdleTurn): Promise<ResultOfCommand<"RewindSession">>;
  /** Files for inputs. At most one feature has them. */
  readonly attachments?: Attachments;
  /** Takes unsaved texts of files for inputs. At most one feature does. */
  readonly unsaved?: TakeUnsaved;
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
