import { count, grouped } from "../../base/text.ts";
import type { PayloadOf } from "../../protocol/events.ts";

/** What provider calls came to. Money is US dollars; calls without a known price are counted, never guessed. */
export interface Cost {
  readonly usd: number;
  readonly calls: number;
  readonly unpricedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export const NO_COST: Cost = {
  usd: 0,
  calls: 0,
  unpricedCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

export function addCost(cost: Cost, more: PayloadOf<"CostIncremented">): Cost {
  return {
    usd: cost.usd + (more.usd ?? 0),
    calls: cost.calls + 1,
    unpricedCalls: cost.unpricedCalls + (more.usd === null ? 1 : 0),
    inputTokens: cost.inputTokens + more.inputTokens,
    outputTokens: cost.outputTokens + more.outputTokens,
    cacheReadTokens: cost.cacheReadTokens + (more.cacheReadTokens ?? 0),
    cacheWriteTokens: cost.cacheWriteTokens + (more.cacheWriteTokens ?? 0),
  };
}

/** The whole price, or null as soon as one call in it has none. */
export function priceOf(cost: Cost): number | null {
  return cost.unpricedCalls > 0 ? null : cost.usd;
}

/** "$0.0123", or what is known: "at least $0.0123", "price unknown". */
export function printPrice(cost: Cost): string {
  if (cost.unpricedCalls === 0) return `$${cost.usd.toFixed(4)}`;
  return cost.usd === 0 ? "price unknown" : `at least $${cost.usd.toFixed(4)}`;
}

/** "1,234 tokens in (1,000 from the cache), 56 out, 2 calls". */
export function printTokens(cost: Cost): string {
  const input = cost.inputTokens + cost.cacheReadTokens + cost.cacheWriteTokens;
  const cached = cost.cacheReadTokens > 0 ? ` (${grouped(cost.cacheReadTokens)} from the cache)` : "";
  return `${grouped(input)} tokens in${cached}, ${grouped(cost.outputTokens)} out, ${count(cost.calls, "call")}`;
}
