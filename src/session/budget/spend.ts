import type { PayloadOf } from "../../protocol/events/events.ts";

/** Money and calls spent so far, at one provider or at all. */
export interface SpendTotals {
  /** US dollars of the calls whose price is known. */
  readonly usd: number;
  /** Provider calls of unknown price. */
  readonly unknownCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const NOTHING_SPENT: SpendTotals = { usd: 0, unknownCalls: 0, inputTokens: 0, outputTokens: 0 };

/**
 * Running total of a session (PROV-11), fed by the meter. A resumed session counts the CostIncremented events of its
 * log first.
 */
export class Spend {
  #total = NOTHING_SPENT;
  readonly #providers = new Map<string, SpendTotals>();

  /** Adds what was spent before this total began, at unknown providers. */
  carry(before: SpendTotals): void {
    this.#total = addSpend(this.#total, before);
  }

  count(cost: PayloadOf<"CostIncremented">): void {
    this.#total = plus(this.#total, cost);
    this.#providers.set(cost.provider, plus(this.#providers.get(cost.provider) ?? NOTHING_SPENT, cost));
  }

  get total(): SpendTotals {
    return this.#total;
  }

  /** Totals by provider name, in the order of their first call. */
  get perProvider(): ReadonlyMap<string, SpendTotals> {
    return this.#providers;
  }
}

export function addSpend(one: SpendTotals, other: SpendTotals): SpendTotals {
  return {
    usd: one.usd + other.usd,
    unknownCalls: one.unknownCalls + other.unknownCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
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

/** Money and limits of one session. */
export interface Budget {
  /** Running total that the cap is held against. */
  readonly spend: Spend;
  /** US dollars; undefined: no cap. */
  readonly capUsd: number | undefined;
  /** Rounds and time that the turn which runs has left, with its sub-agents and tasks. */
  readonly turn: TurnBudget;
  /** Returns the cost of this session and of those that it follows. */
  together(): Promise<SpendTotals>;
}

/** Rest of the limits of the turn that runs. */
export interface TurnBudget {
  /** Rounds that the turn may still start. */
  readonly roundsLeft: number;
  /** Milliseconds left, at least 1; undefined: no limit. */
  readonly msLeft: number | undefined;
  /** Counts rounds that a task below has started. */
  count(rounds: number): void;
}
