import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, objectAt } from "../../../base/json.ts";
import type { ModelUsage } from "../../provider.ts";
import { tokensAt } from "../../token-count.ts";

/** Reads the usage of a chunk from wherever its vendor puts it; undefined if it has none. */
export function chatUsage(chunk: JsonObject): ModelUsage | undefined {
  const usage =
    objectAt(chunk, "usage") ??
    objectAt(objectAt(chunk, "x_groq"), "usage") ??
    objectAt(arrayAt(chunk, "choices")[0], "usage");
  return usage === undefined ? undefined : openAiUsage(usage);
}

/** Converts the usage of either OpenAI dialect to the canonical form, where input tokens exclude cached ones. */
export function openAiUsage(usage: JsonObject): ModelUsage {
  const details = objectAt(usage, "prompt_tokens_details") ?? objectAt(usage, "input_tokens_details");
  const prompt = tokensAt(usage, "prompt_tokens") ?? tokensAt(usage, "input_tokens") ?? 0;
  const completion = tokensAt(usage, "completion_tokens") ?? tokensAt(usage, "output_tokens") ?? 0;
  const total = tokensAt(usage, "total_tokens") ?? 0;
  const cacheReadTokens =
    tokensAt(details, "cached_tokens") ??
    tokensAt(usage, "prompt_cache_hit_tokens") ??
    tokensAt(usage, "cached_tokens") ??
    tokensAt(usage, "cache_read_input_tokens") ??
    0;
  const cacheWriteTokens =
    tokensAt(details, "cache_write_tokens") ?? tokensAt(usage, "cache_creation_input_tokens") ?? 0;
  return {
    inputTokens: Math.max(0, prompt - cacheReadTokens - cacheWriteTokens),
    // Some vendors count reasoning only in the total, not in the completion. It is billed all the same.
    outputTokens: Math.max(completion, total - prompt),
    cacheReadTokens,
    cacheWriteTokens,
  };
}
