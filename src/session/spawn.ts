import type { PromptText } from "../base/brand.ts";
import type { CallId, ClientId, LogId, SessionId } from "../base/ids.ts";
import type { TurnEndReason } from "../protocol/events/events.ts";
import type { ModelInUse } from "../providers/choosing/model-in-use.ts";
import type { ToolHandler } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { SubAgentContext, Tool, Workspace } from "../tools/tool.ts";
import type { Limits } from "./plan.ts";

/**
 * Runs a sub-agent with a fresh history inside the session of the call that asks for it, and resolves to its result
 * (ENG-10).
 *
 * Its events go to the session's bus with `parentCall`. Its failure stays its own: after an error or a cancel the text
 * is empty. Its signal ends it at once.
 * @throws HarnessError if it cannot start: its model or its worktree is not available.
 */
export type SpawnAgent = (request: SpawnRequest) => Promise<SpawnedAgent>;

export interface SpawnRequest {
  readonly parentCall: CallId;
  /** Sub-agent that asks, by the call that runs it. Absent: the session's own agent. */
  readonly within?: CallId;
  /** Kinds from the session's own agent down to it, itself last. */
  readonly agents: readonly string[];
  readonly originator: ClientId;
  readonly turn: number;
  /** Added to the session's own system text. */
  readonly hint: readonly PromptText[];
  readonly prompt: string;
  /** Returns true for the tools that it has, of those of the agent above it. */
  readonly sees: (tool: Tool) => boolean;
  /** Programs that its commands may run; absent: any. */
  readonly programs?: readonly string[];
  /** `provider:name`, or a name that one provider has; absent: the session's. */
  readonly model?: string;
  readonly roundsMax: number;
  /** True if it works in a git worktree, made of the commit that the session's is at. */
  readonly worktree: boolean;
  readonly signal: AbortSignal;
}

export interface SpawnedAgent {
  /** Its last text; empty if it had none, failed or was cancelled. */
  readonly text: string;
  readonly reason: TurnEndReason;
  readonly rounds: number;
  /** Reason of the failure, if it failed. */
  readonly error?: string;
  /** Sentences for the caller about its worktree, or about a model that was not available. */
  readonly told: readonly string[];
}

/**
 * Runs a task in a session with its own log, which people can attach to, and resolves to its result (ENG-23). None of
 * its events go to the bus of the session whose call it is. Its signal cancels it.
 * @throws HarnessError if it cannot start.
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
  /** Called with the session once it exists. */
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
  /** Reason of the failure, if it failed. */
  readonly error?: string;
}
/** Runs one sub-agent; see `spawn` of `engine/`. */
export type RunSubAgent = (request: RunSubAgentRequest) => Promise<SubAgentResult>;

/** A sub-agent to run. */
export interface RunSubAgentRequest {
  readonly within: SubAgentContext;
  readonly originator: ClientId;
  /** Turn of the call above: the work of the sub-agent counts for it. */
  readonly turn: number;
  /** Added behind the session's own system text. */
  readonly hint: readonly PromptText[];
  readonly prompt: string;
  readonly tools: ToolRegistry;
  /** Absent: the session's model, whichever that is at each round. */
  readonly model?: () => ModelInUse;
  readonly roundsMax: number;
  /** Its own view of files, as it has its own history. */
  readonly workspace: Workspace;
  /** Outermost, around the session's own middleware: it can only refuse more. */
  readonly guard?: (handler: ToolHandler) => ToolHandler;
  readonly signal: AbortSignal;
}
export interface SubAgentResult {
  /** Its last text; empty if it had none, failed or was cancelled. */
  readonly text: string;
  readonly reason: TurnEndReason;
  readonly rounds: number;
  /** Reason of the failure, if it failed. */
  readonly error?: string;
}
