import type { ToolContext } from "../../tools/tool.ts";
import type { CallRefusal } from "./judge/gate.ts";

/**
 * Publishes an Error event for a refused call, in addition to the result that the model gets.
 *
 * An unattended run learns from it that something was left undone (exit code 3).
 */
export function publishRefusal({ call, because, text }: CallRefusal, context: ToolContext): void {
  const reason = because === "timeout" ? "PermissionTimeout" : "PermissionDenied";
  const details = { tool: call.name, callId: call.id, because };
  context.emit({ kind: "Error", payload: { reason, message: text, details } });
}
