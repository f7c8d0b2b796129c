import type { CacheBudget } from "../base/cache-budget.ts";
import type { HarnessPaths } from "../base/files/harness-paths.ts";
import type { Tree } from "../base/files/tree.ts";
import type { LogId, SessionId } from "../base/ids.ts";
import type { World } from "../base/world.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { Event } from "../protocol/events/events.ts";
import type { Message } from "../protocol/message.ts";
import type { RequestContext } from "../providers/middleware.ts";
import type { Redactor } from "../safety/redact.ts";
import type { ToolCall } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolContext, ToolOutput, Workspace } from "../tools/tool.ts";
import type { ToolTable } from "../tools/tool-facts.ts";
import type { AttachedClient } from "./access/client.ts";
import type { BackgroundTasks } from "./background.ts";
import type { Budget } from "./budget/spend.ts";
import type { SessionLists } from "./commands/lists.ts";
import type { SessionPermissions } from "./guard/permissions.ts";
import type { PluginRules } from "./guard/policy.ts";
import type { SessionSandboxes } from "./guard/session-sandbox.ts";
import type { JudgeFiles, SessionTrust } from "./guard/trust.ts";
import type { WritableFolders } from "./guard/writable-folders.ts";
import type { Handover, TurnsSummary } from "./handover.ts";
import type { OpenedLog } from "./history/resumed-log.ts";
import type { EngineModels, SessionModel } from "./models.ts";
import type { CarriedState } from "./moments.ts";
import type { SessionPlan } from "./plan.ts";
import type { Ask, NewQuestion } from "./questions.ts";
import type { Config } from "./settings/settings.ts";
import type { SessionStore } from "./store/store.ts";

/** Code from outside of the program, in this process. */
export interface ExternalCode {
  /** Imports a module by its absolute path. A person has acknowledged what it holds. */
  importModule(path: string): Promise<unknown>;
  /** Returns why a file may not run as the user: somebody else can change it. Undefined if nobody else can. */
  foreignHand(path: string): string | undefined;
  /**
   * Asks `owner` about each error of this process that nobody caught. True claims the error. Disposing it ends that.
   */
  ownStrayErrors(owner: (thrown: unknown) => boolean): Disposable;
}

/** Handles of an engine that need no store: also for commands that only look at something. */
export interface EngineHandles {
  readonly world: World;
  readonly paths: HarnessPaths;
  /** Environment that the engine was started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** Configuration when the engine started. A session's own is in its plan. */
  readonly config: Config;
  readonly models: EngineModels;
  /** Shows a text on the person's desktop and resolves to true if it was shown; absent: there is no desktop. */
  readonly tellDesktop?: (text: string) => Promise<boolean>;
  /** Plugins that the embedder gives. Only `features/plugins` knows their shape. */
  readonly embedded: readonly unknown[];
  /** False in a program's conversation: its one model calls the program's tools, and nothing is asked. */
  readonly isGated: boolean;
  /** Folders that agents of this engine may write. */
  readonly writable: WritableFolders;
  /** Every tool that cinch itself has. */
  readonly tools: ToolTable;
  /** Judges files by the settings of the engine; in a session, by those of its plan. */
  readonly judge: JudgeFiles;
  /** Loads what runs code of plugins in this process. */
  externalCode(): Promise<ExternalCode>;
}

/** Handles that an engine gives to the part of a feature that outlives a session. */
export interface EngineHost extends EngineHandles {
  readonly store: SessionStore;
  /** Memory that all caches of the engine share (SES-12). */
  readonly caches: CacheBudget;
}

/**
 * Handles that a session gives to its features when it opens them. All of them work from the start.
 *
 * Handles that need the other features are in `SessionFeatures`, for `OpenFeature.join`; those that need the whole
 * session are in `AgentRunner`, for `OpenFeature.agentTools`.
 */
export interface SessionHost extends EngineHost {
  readonly session: SessionId;
  readonly logId: LogId;
  /** Returns the plan that holds now. Call it each time: an acknowledgement makes a new one. */
  plan(): SessionPlan;
  readonly workspace: Workspace;
  readonly log: OpenedLog;
  /** Removes known secrets from text: keys, and those of the session's environment. */
  readonly redactor: Redactor;
  readonly trust: SessionTrust;
  readonly permissions: SessionPermissions;
  readonly sandbox: SessionSandboxes;
  /** Commands that outlive their turn. */
  readonly background: BackgroundTasks;
  readonly model: SessionModel;
  readonly budget: Budget;
  /** Keys of problems that were shown in this session and in those it follows: none is shown twice. */
  readonly shown: Set<string>;
  /** Publishes an event to every subscriber and to the log. */
  publish(event: Event): void;
  /**
   * Yields every event from now on, once it is in the log, until the session ends. It does not keep the session from
   * being idle.
   */
  follow(signal: AbortSignal): AsyncIterable<Envelope>;
  readonly ask: Ask;
  /** Answers an open question about something for a person; returns false if there is none. */
  answerAbout(about: NewQuestion["about"], answer: unknown, client: AttachedClient): boolean;
  /**
   * Begins a turn of the session's own with an input, once the session is composed and no turn runs; resolves when
   * the input is accepted.
   */
  send(content: readonly InputBlock[]): Promise<void>;
  /** Every tool of the session, once it is composed. Until then it has those that were added so far. */
  readonly registry: ToolRegistry;
  /** Makes the next plan with permission rules that joined late. */
  extendRules(rules: PluginRules): void;
  /** Finds the program ripgrep; called at the first search. */
  readonly ripgrep: () => Promise<string>;
  /** Loads the operations on folders of the real machine. */
  tree(): Promise<Tree>;
  /** Session that this one follows, if any. */
  readonly handover?: Handover;
  /**
   * Makes the plan that would hold under another profile.
   * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused, UnknownToolPack, UnknownSkillPack.
   */
  planUnder(profile: string): Promise<Pick<SessionPlan, "reference" | "profile">>;
}

/** The features of one session, each open. */
export interface SessionFeatures {
  /** Calls `onCompact` of every feature. */
  onCompact(
    moment: { readonly trigger: string; readonly tokens: number },
    context: RequestContext,
  ): Promise<void>;
  /** Returns the state that the features carry over to the next session. */
  carries(): CarriedState;
  /** Data that the features list. */
  readonly lists: Required<SessionLists>;
  /** Summarises the last turns of a conversation for a session that follows; undefined if nothing was said. */
  summary(messages: readonly Message[], turnsMax: number): Promise<TurnsSummary | undefined>;
  /**
   * Runs the tool middleware of hooks around a call that nobody is asked about: for what a person names in an input.
   */
  unasked(call: ToolCall, context: ToolContext): Promise<ToolOutput>;
}
