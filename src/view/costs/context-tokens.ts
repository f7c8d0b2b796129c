import type { Envelope } from "../../protocol/events/envelope.ts";

/**
 * Returns the tokens of a session's conversation after one event: those of a request of its own turn and its answer, or
 * those that a compaction has left. Undefined for an event that does not change them.
 */
export function contextTokensAfter(event: Envelope): number | undefined {
  if (event.parentCall !== undefined) return undefined;
  if (event.kind === "CompactionTriggered") return event.payload.afterTokens;
  if (event.kind !== "CostIncremented" || event.payload.purpose !== undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = event.payload;
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}
