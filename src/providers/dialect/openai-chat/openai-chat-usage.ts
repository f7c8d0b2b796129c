import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, objectAt } from "../../../base/json.ts";
import type { Usage } from "../../provider.ts";
import { tokensAt } from "../../token-count.ts";

/** The usage that a chunk tells, wherever its vendor puts it; undefined where it tells none. */
export function chatUsage(chunk: JsonObject): Usage | undefined {
  const usage =
    objectAt(chunk, "usage") ??
    objectAt(objectAt(chunk, "x_groq"), "usage") ??
    objectAt(arrayAt(chunk, "choices")[0], "usage");
  return usage === undefined ? undefined : openAiUsage(usage);
}

/** The usage of either OpenAI dialect in the canonical form, where cached tokens are no input tokens. */
export function openAiUsage(usage: JsonObject): Usage {
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
    // Some vendors leave reasoning out of the completion and count it only in the total: it is billed all the same.
    outputTokens: Math.max(completion, total - prompt),
    cacheReadTokens,
    cacheWriteTokens,
  };
}
