import type { EventSeq } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { contextTokensAfter } from "../../../view/costs/context-tokens.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import { isTurnEnded } from "../../../view/turn-marks.ts";

/** Numbers of a log that follow from its events, kept beside it so that a list need not read them. No content. */
export interface LogNumbers {
  /** US dollars of the calls whose price is known. */
  readonly usd: number;
  /** Calls of a model whose price is unknown. */
  readonly unpricedCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Turns that have ended. */
  readonly turnsEnded: number;
  /** Tokens of the newest request and its answer, or those that a compaction since then has left. Absent: unknown. */
  readonly contextTokens?: number;
  /** Absent: unknown. */
  readonly planMode?: boolean;
}

export const NO_NUMBERS: LogNumbers = {
  usd: 0,
  unpricedCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  turnsEnded: 0,
};

/**
 * Returns the numbers of a log after more events; the same value if none of them changes one.
 * @param inherited events up to this one are copies: another log has paid for them, and has shown their turns.
 */
export function numbersAfter(
  numbers: LogNumbers,
  events: readonly Envelope[],
  inherited: EventSeq,
): LogNumbers {
  return events.reduce((before, event) => numbersAfterEvent(before, event, inherited), numbers);
}

function numbersAfterEvent(numbers: LogNumbers, event: Envelope, inherited: EventSeq): LogNumbers {
  const isOwn = event.id > inherited;
  const contextTokens = contextTokensAfter(event);
  const sized = contextTokens === undefined ? numbers : { ...numbers, contextTokens };
  if (event.kind === "CostIncremented") return isOwn ? withCost(sized, event.payload) : sized;
  if (event.parentCall !== undefined) return sized;
  if (isTurnEnded(event)) return isOwn ? { ...sized, turnsEnded: sized.turnsEnded + 1 } : sized;
  const planMode = planModeOf(event);
  return planMode === undefined ? sized : { ...sized, planMode };
}

function withCost(numbers: LogNumbers, cost: PayloadOf<"CostIncremented">): LogNumbers {
  const { usd, inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = cost;
  return {
    ...numbers,
    usd: numbers.usd + (usd ?? 0),
    unpricedCalls: numbers.unpricedCalls + (usd === null ? 1 : 0),
    inputTokens: numbers.inputTokens + inputTokens,
    outputTokens: numbers.outputTokens + outputTokens,
    cacheReadTokens: numbers.cacheReadTokens + cacheReadTokens,
    cacheWriteTokens: numbers.cacheWriteTokens + cacheWriteTokens,
  };
}

/** Adds up costs, for a store that keeps no numbers. */
export function numbersOfCosts(costs: readonly PayloadOf<"CostIncremented">[]): LogNumbers {
  return costs.reduce(withCost, NO_NUMBERS);
}
