import type { FinishReason, ModelEvent } from "../../provider.ts";

/**
 * The finish of an answer, made to agree with what the answer holds: with calls in it, a good end is `tool_use`
 * whatever the server called it (several say "stop"); without any, it is `stop`.
 */
export function finish(reason: FinishReason, raw: string, calls: number): ModelEvent {
  const isGood = reason === "stop" || reason === "tool_use";
  return { kind: "finish", reason: isGood ? (calls > 0 ? "tool_use" : "stop") : reason, raw };
}
