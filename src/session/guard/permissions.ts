import type { ToolCall } from "../../tools/middleware.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** Questions that a feature may ask the permission gate. It judges by the plan that holds at the call. */
export interface SessionPermissions {
  /** True if the command of a call is known to only read. */
  onlyReads(call: ToolCall, context: ToolContext): Promise<boolean>;
  /** True if a call, other than a command, would be allowed without asking anybody. */
  goesUnasked(call: ToolCall, context: ToolContext): Promise<boolean>;
}
