import type { PromptText } from "../../../base/brand.ts";
import type { CallId, ClientId } from "../../../base/ids.ts";
import type { TurnEndReason } from "../../../protocol/events/events.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { RunningAgent } from "./running-agents.ts";

/**
 * Runs a sub-agent with a fresh history inside the session of the call that asks for it, and resolves to its
 * result (ENG-10).
 *
 * Its events go to the session's bus with `parentCall`. Its failure stays its own: after an error or a cancel the text
 * is empty. Its signal ends it at once.
 * @throws HarnessError if it cannot start: its model or its worktree is not available.
 */
export type SpawnAgent = (request: SpawnRequest) => Promise<SpawnedAgent>;

/** Request for a sub-agent inside the session of the call that asks for it (ENG-10). */
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
  /** Inputs that clients send to it. */
  readonly running: RunningAgent;
}

export interface SpawnedAgent {
  /** Its last text; empty if it had none, failed or was cancelled. */
  readonly text: string;
  readonly reason: TurnEndReason;
  readonly rounds: number;
  /** Reason of the failure, if it failed. */
  readonly error?: string;
  /** Sentences for the caller about its worktree, or about a model that was not available. */
  readonly remarks: readonly string[];
}
