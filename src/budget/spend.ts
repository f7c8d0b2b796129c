import type { PayloadOf } from "../protocol/events.ts";

/** What was spent so far, of one provider or of all. */
export interface SpendTotals {
  /** US dollars of the calls whose price is known. */
  readonly usd: number;
  /** Provider calls that cost something nobody knows. */
  readonly unknownCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const NOTHING: SpendTotals = { usd: 0, unknownCalls: 0, inputTokens: 0, outputTokens: 0 };

/**
 * The running tally of a session (PROV-11), fed by the meter as it goes; a resumed session counts the CostIncremented
 * events of its log first.
 */
export class Spend {
  #total = NOTHING;
  readonly #providers = new Map<string, SpendTotals>();

  count(cost: PayloadOf<"CostIncremented">): void {
    this.#total = plus(this.#total, cost);
    this.#providers.set(cost.provider, plus(this.#providers.get(cost.provider) ?? NOTHING, cost));
  }

  get total(): SpendTotals {
    return this.#total;
  }

  /** By provider name, in the order of their first call. */
  get perProvider(): ReadonlyMap<string, SpendTotals> {
    return this.#providers;
  }
}

function plus(totals: SpendTotals, cost: PayloadOf<"CostIncremented">): SpendTotals {
  return {
    usd: totals.usd + (cost.usd ?? 0),
    unknownCalls: totals.unknownCalls + (cost.usd === null ? 1 : 0),
    inputTokens:
      totals.inputTokens + cost.inputTokens + (cost.cacheReadTokens ?? 0) + (cost.cacheWriteTokens ?? 0),
    outputTokens: totals.outputTokens + cost.outputTokens,
  };
}
