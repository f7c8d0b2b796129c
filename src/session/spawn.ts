import type { PromptText } from "../base/brand.ts";
import type { CallId, ClientId, LogId, SessionId } from "../base/ids.ts";
import type { TurnEndReason } from "../protocol/events/events.ts";
import type { ModelInUse } from "../providers/choosing/model-in-use.ts";
import type { ToolHandler } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool, Within, Workspace } from "../tools/tool.ts";
import type { Limits } from "./plan.ts";

/**
 * Runs a sub-agent with a fresh history inside the session of the call that asks for it, and resolves to what it came to
 * (ENG-10).
 *
 * Its events go to the session's bus with `parentCall`. However it ends, it ends alone: an error or a cancel of it gives
 * an empty text. Its signal ends it at once.
 * @throws HarnessError where it cannot be begun: its model or its worktree cannot be had.
 */
export type SpawnAgent = (request: SpawnRequest) => Promise<SpawnedAgent>;

export interface SpawnRequest {
  readonly parentCall: CallId;
  /** The sub-agent that asks: by the call that it answers. Absent: the session's own agent does. */
  readonly within?: CallId;
  /** The kinds from the session's own agent down to it, itself last. */
  readonly agents: readonly string[];
  readonly originator: ClientId;
  readonly turn: number;
  /** Said to it beside the session's own system text. */
  readonly hint: readonly PromptText[];
  readonly prompt: string;
  /** Returns true for the tools that it has, of those of the agent above it. */
  readonly sees: (tool: Tool) => boolean;
  /** The programs that its commands may run; absent: any. */
  readonly programs?: readonly string[];
  /** `provider:name`, or a name that one provider has; absent: the session's. */
  readonly model?: string;
  readonly roundsMax: number;
  /** Whether it works in a git worktree of its own, made of the commit that the session's stands at. */
  readonly worktree: boolean;
  readonly signal: AbortSignal;
}

export interface SpawnedAgent {
  /** Its last text; empty where it said nothing, failed or was cancelled. */
  readonly text: string;
  readonly reason: TurnEndReason;
  readonly rounds: number;
  /** Why it failed, where it did. */
  readonly error?: string;
  /** What whoever asked has to know of its worktree, or of a model that was not to be had: sentences. */
  readonly told: readonly string[];
}

/**
 * Runs a task in a session of its own, with its own log, which people can attach to, and resolves to what it came to
 * (ENG-23). Nothing of it is told on the bus of the session whose call it is. Its signal cancels it.
 * @throws HarnessError where it cannot be begun.
 */
export type DelegateTask = (
  request: DelegateRequest & { readonly workingDir: string },
  left: Pick<Limits, "maxTurns" | "maxCostUsd" | "maxTimeMs">,
) => Promise<DelegatedTask>;

export interface DelegateRequest {
  readonly callId: CallId;
  /** `provider:name`. */
  readonly model: string;
  readonly prompt: string;
  /** Told of the session once it is there. */
  readonly begun: (session: SessionId) => void;
  readonly signal: AbortSignal;
}

export interface DelegatedTask {
  /** Text of its last message that had any; empty after a failure or a cancel. */
  readonly text: string;
  readonly reason: string;
  readonly rounds: number;
  readonly session: SessionId;
  readonly log: LogId;
  /** Why it failed, where it did. */
  readonly error?: string;
}
/** Runs one sub-agent; see `spawn` of `engine/`. */
export type RunSubAgent = (request: Spawning) => Promise<Spawned>;

/** A sub-agent to run. */
export interface Spawning {
  readonly within: Within;
  readonly originator: ClientId;
  /** The turn that the call above belongs to: what the sub-agent does counts as done in it. */
  readonly turn: number;
  /** What it is told beside the session's own system text, behind that. */
  readonly hint: readonly PromptText[];
  readonly prompt: string;
  readonly tools: ToolRegistry;
  /** Absent: the session's model, whichever that is at each round. */
  readonly model?: () => ModelInUse;
  readonly roundsMax: number;
  /** A history of its own goes with a view of the files of its own. */
  readonly workspace: Workspace;
  /** Around the session's own middleware: it can only refuse more. */
  readonly guard?: (handler: ToolHandler) => ToolHandler;
  readonly signal: AbortSignal;
}
export interface Spawned {
  /** Its last text; empty where it said nothing, failed or was cancelled. */
  readonly text: string;
  readonly reason: TurnEndReason;
  readonly rounds: number;
  /** Why it failed, where it did. */
  readonly error?: string;
}
