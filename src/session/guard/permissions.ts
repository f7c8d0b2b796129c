import type { AskedPart } from "../../protocol/events/asked-call.ts";
import type { ToolCall } from "../../tools/middleware.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { Rule } from "./rule.ts";
import type { Confinement } from "./sandbox.ts";

/** Verdict of the permission gate about one call. */
export interface CallVerdict {
  readonly decision: {
    readonly kind: "allow" | "ask" | "deny";
    /** Phrase for the person. */
    readonly why: string;
    /** The rule that decides, if one does. */
    readonly rule?: Rule;
  };
  /** Way to allow the call: a phrase for the person. Absent for a call that is allowed. */
  readonly remedy?: string;
  /** Judges the parts of a compound command, each alone. Empty for any other call. */
  parts(): Promise<readonly AskedPart[]>;
}

/** Questions that a feature may ask the permission gate. It judges by the plan that holds at the call. */
export interface SessionPermissions {
  /**
   * Returns the verdict about a planned call, by the steps of the gate itself. Asks nobody, and runs nothing of
   * the call.
   * @param confinement of the command, if the call is one.
   */
  verdict(call: ToolCall, context: ToolContext, confinement: Confinement): Promise<CallVerdict>;
  /** Returns true if the command of a call is known to only read. */
  onlyReads(call: ToolCall, context: ToolContext): Promise<boolean>;
  /** Returns true if a call, other than a command, would be allowed without a question. */
  goesUnasked(call: ToolCall, context: ToolContext): Promise<boolean>;
}
