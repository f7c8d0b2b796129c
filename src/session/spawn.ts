import type { PromptText } from "../base/brand.ts";
import type { CallId, ClientId, InputId, LogId, SessionId } from "../base/ids.ts";
import type { InputBlock } from "../protocol/content.ts";
import type { Event, TurnEndReason } from "../protocol/events/events.ts";
import type { ModelInUse } from "../providers/choosing/model-in-use.ts";
import type { ToolHandler } from "../tools/middleware.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { SubAgentContext, Workspace } from "../tools/tool.ts";
import type { TurnContext } from "./moments.ts";
import type { Limits } from "./plan.ts";

/**
 * Runs a task in a session with its own log, which people can attach to, and resolves to its result (ENG-23). None of
 * its events go to the bus of the session whose call it is. Its signal cancels it.
 * @throws HarnessError if it cannot start.
 */
export type DelegateTask = (
  request: DelegateRequest & { readonly workingDir: string },
  remaining: Pick<Limits, "maxTurns" | "maxCostUsd" | "maxTimeMs">,
) => Promise<DelegatedTask>;

export interface DelegateRequest {
  readonly callId: CallId;
  /** `provider:name`. */
  readonly model: string;
  readonly prompt: string;
  /** Called with the session once it exists. */
  readonly onBegun: (session: SessionId) => void;
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

/** Runs other agents for the calls of a session that is composed. */
export interface AgentRunner {
  /** Runs a sub-agent in this session. */
  readonly spawn: RunSubAgent;
  /** Runs a task in a session of its own. */
  readonly delegate: DelegateTask;
  /**
   * Examines an input for a sub-agent as one for the session itself, and returns blocks to send with it.
   * @throws HarnessError if it is refused; the signal's reason.
   */
  readonly examine: (content: readonly InputBlock[], turn: TurnContext) => Promise<readonly InputBlock[]>;
}

/** Input for a running sub-agent. */
export interface AgentInput {
  readonly inputId: InputId;
  readonly content: readonly InputBlock[];
  readonly originator: ClientId;
}

/** Inputs that clients send to one sub-agent while it runs. */
export interface AgentInputs {
  /** Called once it runs. `tell` publishes an event as one of the sub-agent; it is in the log when it resolves. */
  begin(tell: (event: Event, originator?: ClientId) => Promise<void>): void;
  /** Returns the first input, which still waits: what has not been taken by the end is withdrawn. */
  first(): AgentInput | undefined;
  /** Removes an input that enters, or that was refused. */
  take(inputId: InputId): void;
  readonly examine: AgentRunner["examine"];
  /** Called when nothing can enter any more. */
  end(): Promise<void>;
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
  /** Absent: nothing can be sent to it. */
  readonly inputs?: AgentInputs;
}
export interface SubAgentResult {
  /** Its last text; empty if it had none, failed or was cancelled. */
  readonly text: string;
  readonly reason: TurnEndReason;
  readonly rounds: number;
  /** Reason of the failure, if it failed. */
  readonly error?: string;
}
