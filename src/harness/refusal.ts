import { reasonText } from "../base/reasons.ts";
import type { Refusal } from "../permission/gate.ts";
import type { ToolContext } from "../tool/tool.ts";

/**
 * Tells clients of a call that was not let through, as an Error event beside the result that the model gets.
 *
 * Whoever runs without a person sees by it that something was left undone (exit code 3).
 */
export function tellRefusal({ call, because }: Refusal, context: ToolContext, timeoutMs: number): void {
  const tool = call.name;
  const details = { tool, callId: call.id, because };
  if (because === "timeout") {
    const message = reasonText("PermissionTimeout", { tool, timeout: String(timeoutMs / 1000) });
    context.emit({ kind: "Error", payload: { reason: "PermissionTimeout", message, details } });
    return;
  }
  const message = reasonText("PermissionDenied", { tool, client: DENIERS[because] });
  context.emit({ kind: "Error", payload: { reason: "PermissionDenied", message, details } });
}

const DENIERS: Readonly<Record<Exclude<Refusal["because"], "timeout">, string>> = {
  rule: "a deny rule",
  level: "the level of a strict profile",
  nobody: "cinch, since nobody could be asked",
  answer: "a person's answer",
};
