import type { FinishReason, ModelEvent } from "../../provider.ts";

/**
 * Returns the finish event of an answer, made consistent with its content. With calls, a good end is `tool_use`,
 * whatever the server named it (several say "stop"); without calls, it is `stop`.
 */
export function finishEvent(reason: FinishReason, raw: string, calls: number): ModelEvent {
  const isGood = reason === "stop" || reason === "tool_use";
  return { kind: "finish", reason: isGood ? (calls > 0 ? "tool_use" : "stop") : reason, raw };
}
