import { defined } from "../../base/defined.ts";
import type { Model, Price } from "../provider.ts";

/**
 * Returns published prices and sizes of a well-known model, as of November 2026, for providers whose catalogue has
 * no prices.
 *
 * Prices of the provider's own catalogue take precedence over this table. An id that is not here has no known
 * price (PROV-11). Cache writes are those that last five minutes. Prices of subscriptions, batches and fast modes
 * are not here.
 */
export function knownModel(provider: string, id: string): Model | undefined {
  const models = Object.hasOwn(TABLE, provider) ? TABLE[provider]?.() : undefined;
  const found = models?.find((model) => model.id === id || model.id === withoutDate(id));
  return found === undefined ? undefined : { ...found, id };
}

/** Removes the date of a model id: `-20250929`, `@20250929`, `-2025-11-13` or `-latest`. */
function withoutDate(id: string): string {
  return id.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest|default)$/, "");
}

/** Input, output, cache read, cache write, in US dollars for a million tokens. */
type Rates = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number];

function price([input, output, cacheRead, cacheWrite]: Rates): Price {
  return {
    input,
    output,
    ...defined({ cacheRead, cacheWrite }),
  };
}

interface Size {
  readonly contextTokens: number;
  readonly outputTokensMax: number;
}

function row(
  id: string,
  size: Size,
  rates: Rates,
  long?: { readonly above: number; readonly rates: Rates },
): Model {
  const longInput =
    long === undefined ? {} : { longInput: { ...price(long.rates), aboveTokens: long.above } };
  return { id, ...size, price: { ...price(rates), ...longInput }, takes: ["image", "pdf"] };
}

function textOnly(id: string, size: Size, rates: Rates): Model {
  return { id, ...size, price: price(rates), takes: [] };
}

const CLAUDE_200K = { contextTokens: 200_000, outputTokensMax: 64_000 };
const CLAUDE_1M = { contextTokens: 1_000_000, outputTokensMax: 128_000 };
const GPT_400K = { contextTokens: 400_000, outputTokensMax: 128_000 };
const GPT_1M = { contextTokens: 1_050_000, outputTokensMax: 128_000 };
const GPT_LONG_ABOVE = 272_000;
const GLM_200K = { contextTokens: 200_000, outputTokensMax: 128_000 };
const GLM_1M = { contextTokens: 1_048_576, outputTokensMax: 131_072 };

const ANTHROPIC = (): readonly Model[] => [
  row("claude-fable-5-1", CLAUDE_1M, [10, 50, 0.25, 12.5]),
  row("claude-fable-5", CLAUDE_1M, [10, 50, 1, 12.5]),
  row("claude-opus-5-5", CLAUDE_1M, [4, 20, 0.2, 5]),
  row("claude-opus-5", CLAUDE_1M, [5, 25, 0.5, 6.25]),
  row("claude-opus-4-8", CLAUDE_1M, [5, 25, 0.5, 6.25]),
  row("claude-opus-4-7", CLAUDE_1M, [5, 25, 0.5, 6.25]),
  row("claude-opus-4-6", CLAUDE_1M, [5, 25, 0.5, 6.25]),
  row("claude-opus-4-5", CLAUDE_200K, [5, 25, 0.5, 6.25]),
  row("claude-opus-4-1", { contextTokens: 200_000, outputTokensMax: 32_000 }, [15, 75, 1.5, 18.75]),
  row("claude-opus-4", { contextTokens: 200_000, outputTokensMax: 32_000 }, [15, 75, 1.5, 18.75]),
  row("claude-sonnet-5-5", CLAUDE_1M, [2, 10, 0.1, 2.5]),
  row("claude-sonnet-5", CLAUDE_1M, [2, 10, 0.2, 2.5]),
  row("claude-sonnet-4-6", CLAUDE_1M, [3, 15, 0.3, 3.75]),
  row("claude-sonnet-4-5", CLAUDE_200K, [3, 15, 0.3, 3.75]),
  row("claude-sonnet-4", CLAUDE_200K, [3, 15, 0.3, 3.75]),
  row("claude-haiku-5-5", CLAUDE_1M, [0.1, 0.5, 0.01, 0.125], {
    above: 100_000,
    rates: [0.5, 2.5, 0.05, 0.625],
  }),
  row("claude-haiku-4-5", CLAUDE_200K, [1, 5, 0.1, 1.25]),
  row("claude-3-7-sonnet", CLAUDE_200K, [3, 15, 0.3, 3.75]),
  row("claude-3-5-sonnet", { contextTokens: 200_000, outputTokensMax: 8_192 }, [3, 15, 0.3, 3.75]),
  row("claude-3-5-haiku", { contextTokens: 200_000, outputTokensMax: 8_192 }, [0.8, 4, 0.08, 1]),
  row("claude-3-opus", { contextTokens: 200_000, outputTokensMax: 4_096 }, [15, 75, 1.5, 18.75]),
  row("claude-3-haiku", { contextTokens: 200_000, outputTokensMax: 4_096 }, [0.25, 1.25, 0.03, 0.3]),
];

const OPENAI = (): readonly Model[] => [
  row("gpt-6.1-sol", GPT_1M, [2, 10, 0.1, 2.5], { above: GPT_LONG_ABOVE, rates: [4, 15, 0.2, 5] }),
  row("gpt-6-sol", GPT_1M, [2, 10, 0.2, 2.5], { above: GPT_LONG_ABOVE, rates: [4, 15, 0.4, 5] }),
  row("gpt-6-luna", GPT_1M, [0.1, 0.5, 0.01, 0.125], {
    above: GPT_LONG_ABOVE,
    rates: [0.2, 0.75, 0.02, 0.25],
  }),
  row("gpt-5.6-sol", GPT_1M, [4, 20, 0.4, 5], { above: GPT_LONG_ABOVE, rates: [8, 30, 0.8, 10] }),
  row("gpt-5.6", GPT_1M, [4, 20, 0.4, 5], { above: GPT_LONG_ABOVE, rates: [8, 30, 0.8, 10] }),
  row("gpt-5.6-terra", GPT_1M, [2, 12, 0.2, 2.5], { above: GPT_LONG_ABOVE, rates: [4, 18, 0.4, 5] }),
  row("gpt-5.6-luna", GPT_1M, [0.2, 1.2, 0.02, 0.25], {
    above: GPT_LONG_ABOVE,
    rates: [0.4, 1.8, 0.04, 0.5],
  }),
  row("gpt-5.5", GPT_1M, [5, 30, 0.5], { above: GPT_LONG_ABOVE, rates: [10, 45, 1] }),
  row("gpt-5.4", GPT_1M, [2.5, 15, 0.25], { above: GPT_LONG_ABOVE, rates: [5, 22.5, 0.5] }),
  row("gpt-5.4-mini", GPT_400K, [0.75, 4.5, 0.075]),
  row("gpt-5.3-codex", GPT_400K, [1.75, 14, 0.175]),
  row("gpt-5.2", GPT_400K, [1.75, 14, 0.175]),
  row("gpt-5.1", GPT_400K, [1.25, 10, 0.125]),
  row("gpt-5", GPT_400K, [1.25, 10, 0.125]),
  row("gpt-5-mini", GPT_400K, [0.25, 2, 0.025]),
  row("gpt-5-nano", GPT_400K, [0.05, 0.4, 0.005]),
  row("gpt-4.1", { contextTokens: 1_047_576, outputTokensMax: 32_768 }, [2, 8, 0.5]),
  row("gpt-4.1-mini", { contextTokens: 1_047_576, outputTokensMax: 32_768 }, [0.4, 1.6, 0.1]),
  row("gpt-4.1-nano", { contextTokens: 1_047_576, outputTokensMax: 32_768 }, [0.1, 0.4, 0.025]),
  row("gpt-4o", { contextTokens: 128_000, outputTokensMax: 16_384 }, [2.5, 10, 1.25]),
  row("gpt-4o-mini", { contextTokens: 128_000, outputTokensMax: 16_384 }, [0.15, 0.6, 0.075]),
];

const ZAI = (): readonly Model[] => [
  textOnly("glm-5.3", GLM_1M, [1.4, 4.4, 0.26]),
  textOnly("glm-5.2", GLM_1M, [1.4, 4.4, 0.26]),
  textOnly("glm-5.1", GLM_200K, [1.4, 4.4, 0.26]),
  textOnly("glm-4.7", GLM_200K, [0.6, 2.2, 0.11]),
  textOnly("glm-4.6", GLM_200K, [0.6, 2.2, 0.11]),
  textOnly("glm-4.5", { contextTokens: 131_072, outputTokensMax: 98_304 }, [0.6, 2.2, 0.11]),
  textOnly("glm-4.5-air", { contextTokens: 131_072, outputTokensMax: 98_304 }, [0.2, 1.1, 0.03]),
];

/** Without prices: they depend on the region, so the Vertex adapter supplies them. */
const VERTEX = (): readonly Model[] => ANTHROPIC().map(({ price: _elsewhere, ...model }) => model);

/** The models of each provider, made when they are asked for: a start uses one table, or none. */
const TABLE: Readonly<Record<string, () => readonly Model[]>> = {
  anthropic: ANTHROPIC,
  openai: OPENAI,
  vertex: VERTEX,
  zai: ZAI,
};
