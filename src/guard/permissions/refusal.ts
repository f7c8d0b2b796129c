import type { ToolContext } from "../../tools/tool.ts";
import type { Refusal } from "./judge/gate.ts";

/**
 * Tells clients of a call that was not let through, as an Error event beside the result that the model gets.
 *
 * Whoever runs without a person sees by it that something was left undone (exit code 3).
 */
export function tellRefusal({ call, because, text }: Refusal, context: ToolContext): void {
  const reason = because === "timeout" ? "PermissionTimeout" : "PermissionDenied";
  const details = { tool: call.name, callId: call.id, because };
  context.emit({ kind: "Error", payload: { reason, message: text, details } });
}
