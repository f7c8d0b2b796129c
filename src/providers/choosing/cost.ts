import type { ModelUsage, Price } from "../provider.ts";

const TOKENS_PER_PRICE = 1_000_000;

/**
 * Returns the cost of a usage in US dollars, or null if a price that it needs is unknown (PROV-11).
 *
 * A kind of token with a count of zero needs no price. An unknown price never counts as zero.
 */
export function costOf(usage: ModelUsage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const inputTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const long = price.longInput;
  const rates = long !== undefined && inputTokens > long.aboveTokens ? long : price;
  const parts = [
    part(usage.inputTokens, rates.input),
    part(usage.outputTokens, rates.output),
    part(usage.cacheReadTokens, rates.cacheRead),
    part(usage.cacheWriteTokens, rates.cacheWrite),
  ];
  return parts.reduce<number | null>((sum, usd) => (sum === null || usd === null ? null : sum + usd), 0);
}

function part(tokens: number, rate: number | undefined): number | null {
  if (tokens === 0) return 0;
  return rate === undefined ? null : (tokens * rate) / TOKENS_PER_PRICE;
}
