import { grouped } from "../../base/text/text.ts";
import type { ModelInfo } from "../../protocol/resources.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Returns a size of a context window in a few characters: "200k", "1M", "512". */
export function windowText(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

/** Returns sentences about a model: its window, its prices and what it accepts. Unknown facts are named. */
export function modelFacts(info: ModelInfo): readonly string[] {
  const { context_tokens: context, output_tokens_max: output, accepts, thinking, price } = info;
  return [
    context === undefined ? "context window unknown" : `context window of ${grouped(context)} tokens`,
    ...(output === undefined ? [] : [`answers of up to ${grouped(output)} tokens`]),
    accepts === undefined ? "accepted content unknown" : `accepts ${accepts.map(neutraliseLine).join(", ")}`,
    thinking === undefined ? "thinking unknown" : thinking ? "can think" : "does not think",
    price === undefined
      ? "price unknown"
      : [
          `$${price.input} in, $${price.output} out per million tokens`,
          ...(price.cache_read === undefined ? [] : [`$${price.cache_read} from the cache`]),
        ].join(", "),
  ];
}
