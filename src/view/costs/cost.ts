import { printUsd } from "../../base/text/money.ts";
import { count, grouped } from "../../base/text/text.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { UsageInfo } from "../../protocol/resources.ts";

/** Cost of provider calls. Money is US dollars; calls without a known price are counted, never guessed. */
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

/** Text for calls of unknown price. */
export const PRICE_UNKNOWN = "price unknown";

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

export function sumOfCosts(one: Cost, other: Cost): Cost {
  return {
    usd: one.usd + other.usd,
    calls: one.calls + other.calls,
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}

/** Returns the whole price, or null if one call in it has none. */
export function priceOf(cost: Cost): number | null {
  return cost.unpricedCalls > 0 ? null : dollars(cost.usd);
}

/**
 * Rounds money for programs to a millionth of a dollar, without the tail of binary fractions; smaller amounts than ten
 * of them keep two significant digits.
 */
export function dollars(usd: number): number {
  return Number(printUsd(usd, 6));
}

/** Returns the tokens that were sent, those of the cache included. */
export function inputTokensOf(cost: Cost): number {
  return cost.inputTokens + cost.cacheReadTokens + cost.cacheWriteTokens;
}

/** Returns the tokens in their wire form. */
export function tokenUsage(cost: Cost): UsageInfo {
  return {
    calls: cost.calls,
    input_tokens: cost.inputTokens,
    output_tokens: cost.outputTokens,
    cache_read_tokens: cost.cacheReadTokens,
    cache_write_tokens: cost.cacheWriteTokens,
  };
}

/** Renders a price: "$0.0123", "at least $0.0123", "price unknown". */
export function printPrice(cost: Cost): string {
  if (cost.unpricedCalls === 0) return `$${printUsd(cost.usd)}`;
  return cost.usd === 0 ? PRICE_UNKNOWN : `at least $${printUsd(cost.usd)}`;
}

/** Returns the cost of a session with those before it. */
export function withBefore(cost: Cost, before: PayloadOf<"ProfileSwitched">["spentBefore"]): Cost {
  if (before === undefined) return cost;
  return sumOfCosts(cost, {
    ...NO_COST,
    usd: before.usd,
    unpricedCalls: before.unknownCalls,
    inputTokens: before.inputTokens,
    outputTokens: before.outputTokens,
  });
}

/** Renders tokens: "1,234 tokens in (1,000 from the cache), 56 out, 2 calls". */
export function printTokens(cost: Cost): string {
  const cached = cost.cacheReadTokens > 0 ? ` (${grouped(cost.cacheReadTokens)} from the cache)` : "";
  return `${grouped(inputTokensOf(cost))} tokens in${cached}, ${grouped(cost.outputTokens)} out, ${count(cost.calls, "call")}`;
}
