import type { CallId } from "../../base/ids.ts";
import type { Intent } from "../store/store.ts";

/** A call of an earlier run without a result. */
export interface OrphanedCall {
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
  /** Set if clients have seen it start: true if it may have changed something. */
  readonly mutating?: boolean;
  /** Its intent, if that has no outcome: the process ended while it ran. */
  readonly intent?: Pick<Intent, "mutating" | "summary" | "startedAt">;
}

/** A call of a sub-agent that was running when its process ended. */
export type InnerCall = Pick<Intent, "callId" | "tool" | "summary">;

/** A person's decision about calls that an earlier run left open. */
export type OrphanFate =
  | { readonly kind: "failed" }
  | { readonly kind: "succeeded"; readonly note?: string }
  | { readonly kind: "abort" };

/** A sub-agent whose turn broke off with its process. */
export interface BrokenAgent {
  /** The call that ran it. */
  readonly parentCall: CallId;
  readonly turn: number;
  /** Provider calls, one that was cut off included. */
  readonly rounds: number;
}

/** A command of a person that had not ended when its process did. */
export interface OpenShellRun {
  readonly callId: CallId;
  readonly command: string;
  readonly toModel: boolean;
  /** Set if it had begun: its intent has no outcome. */
  readonly hasBegun?: true;
}

/** A turn that broke off with the process that ran it. */
export interface Unfinished {
  /** Undefined if only calls are open. */
  readonly turn?: number;
  /** Provider calls of the turn by the session's own agent, one that was cut off included. */
  readonly rounds?: number;
  /** Sub-agents that were in a turn. */
  readonly subAgents?: readonly BrokenAgent[];
  readonly calls: readonly OrphanedCall[];
  /** Running calls of sub-agents: nobody waits for their results any more. */
  readonly inner?: readonly InnerCall[];
  /** Commands of people. */
  readonly shell?: readonly OpenShellRun[];
}
