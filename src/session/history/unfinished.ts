import type { CallId } from "../../base/ids.ts";
import type { Intent } from "../store/store.ts";

/** A call of an earlier run without a result. */
export interface OrphanedCall {
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
  /** Whether clients were told that it started. */
  readonly begun: boolean;
  /** Its intent, where that has no outcome: the process ended while it ran. */
  readonly intent?: Pick<Intent, "mutating" | "summary" | "startedAt">;
}

/** A call of a sub-agent that its process ended in the middle of. */
export type InnerCall = Pick<Intent, "callId" | "tool" | "summary">;

/** A person's decision about calls that an earlier run left open. */
export type OrphanFate =
  | { readonly kind: "failed" }
  | { readonly kind: "succeeded"; readonly note?: string }
  | { readonly kind: "abort" };

/** A turn that broke off with the process that ran it. */
export interface Unfinished {
  /** Undefined where only calls are open. */
  readonly turn?: number;
  readonly calls: readonly OrphanedCall[];
  /** What sub-agents were in the middle of: nobody waits for its result any more. */
  readonly inner?: readonly InnerCall[];
}
