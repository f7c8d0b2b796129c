import { HarnessError } from "../base/errors.ts";
import { printUsd } from "../base/money.ts";
import { byteLength } from "../base/text.ts";
import { estimateTokens } from "../provider/dialect/token-estimate.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import type { ModelRequest, Price } from "../provider/provider.ts";
import { costOf } from "./cost.ts";
import type { PriceOf } from "./meter.ts";
import type { Spend } from "./spend.ts";

const BYTES_PER_TOKEN = 4;

export interface CostCap {
  /** US dollars for the session. */
  readonly capUsd: number;
  readonly spend: Spend;
  readonly priceOf: PriceOf;
}

/**
 * Refuses a provider call before it is sent when the cap could not be kept (ENG-13).
 *
 * Refused is a call once the cap is spent, and one whose input alone would pass it, estimated at four bytes a token
 * and at the full input price, as if nothing came from the cache. How long the answer will be is unknown, so the last
 * answer before a refusal may pass the cap by its output. Stands inside retry and outside the meter.
 * @throws HarnessError CostBudgetExceeded; CostUnknown where the model's price, or what an earlier call cost, is not
 * known: a cap that cannot be kept is not pretended to be.
 */
export function costCap({ capUsd, spend, priceOf }: CostCap): RequestMiddleware {
  return async function* costCap(request, context, next) {
    const price = priceOf(context.provider.name, request.model);
    const cap = dollars(capUsd);
    const { usd, unknownCalls } = spend.total;
    if (price === undefined || unknownCalls > 0) {
      throw new HarnessError("CostUnknown", { cap, model: request.model });
    }
    if (usd >= capUsd || usd + inputCost(request, price) > capUsd) {
      throw new HarnessError("CostBudgetExceeded", { spent: dollars(usd), cap });
    }
    yield* next(request, context);
  };
}

function inputCost({ system, tools, messages }: ModelRequest, price: Price): number {
  const prefix = system.map(({ text }) => text).join("") + JSON.stringify(tools);
  const inputTokens = estimateTokens(messages) + Math.ceil(byteLength(prefix) / BYTES_PER_TOKEN);
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return costOf(usage, price) ?? 0;
}

/** Enough digits that small sums are told apart, without trailing zeros beyond cents. */
function dollars(usd: number): string {
  return printUsd(usd).replace(/(\.\d\d\d*?)0+$/, "$1");
}
