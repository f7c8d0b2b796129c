import type { ToolCall } from "../../tools/middleware.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** Questions that a feature may ask the permission gate. It judges by the plan that holds at the call. */
export interface SessionPermissions {
  /** Returns true if the command of a call is known to only read. */
  onlyReads(call: ToolCall, context: ToolContext): Promise<boolean>;
  /** Returns true if a call, other than a command, would be allowed without a question. */
  goesUnasked(call: ToolCall, context: ToolContext): Promise<boolean>;
}
