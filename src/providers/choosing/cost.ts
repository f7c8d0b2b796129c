import type { ModelUsage, Price } from "../provider.ts";

const TOKENS_PER_PRICE = 1_000_000;

/**
 * Returns the cost of a usage in US dollars, or null if a price that it needs is unknown (PROV-11).
 *
 * A kind of token with a count of zero needs no price. An unknown price never counts as zero; nor does a price or a
 * count that is no number from 0 on, as a catalogue may list.
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
  return isAmount(tokens) && isAmount(rate) ? (tokens * rate) / TOKENS_PER_PRICE : null;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
