import { HarnessError } from "../../base/errors.ts";
import { printUsd } from "../../base/text/money.ts";
import { byteLength } from "../../base/text/text.ts";
import { costOf } from "../../providers/choosing/cost.ts";
import { estimateTokens } from "../../providers/dialect/request/token-estimate.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { lateStream } from "../../providers/middleware.ts";
import type { ModelRequest, Price, UNKNOWN_PRICES } from "../../providers/provider.ts";
import type { Spend } from "../../session/budget/spend.ts";
import type { EngineModels } from "../../session/models.ts";

const BYTES_PER_TOKEN = 4;

export interface CostCap {
  /** Limit in US dollars for the session. */
  readonly capUsd: number;
  readonly spend: Spend;
  readonly priceOf: EngineModels["priceOf"];
  /** `warn` lets the call run and emits a notice, once for each model; `refuse` ends the turn. */
  readonly unknownPrice: (typeof UNKNOWN_PRICES)[number];
}

/**
 * Refuses a provider call before it is sent if it could exceed the cap (ENG-13).
 *
 * Refuses a call once the cap is spent, and one whose input alone would exceed it. The input is estimated at four
 * bytes a token and at the full input price, without the cache. The length of the answer is unknown, so the last
 * answer before a refusal may exceed the cap by its output. Stands inside retry and outside the meter.
 * @throws HarnessError CostBudgetExceeded; with `refuse`, CostUnknown if the model's price, or the cost of an earlier
 * call, is unknown.
 */
export function costCap({ capUsd, spend, priceOf, unknownPrice }: CostCap): RequestMiddleware {
  const warned = new Set<string>();
  return function costCap(request, context, next) {
    return lateStream(async () => {
      const { model } = request;
      const price = priceOf(context.provider.name, model);
      const cap = dollars(capUsd);
      const { usd, unknownCalls } = spend.total;
      const isUnknown = price === undefined || unknownCalls > 0;
      if (isUnknown && unknownPrice === "refuse") throw new HarnessError("CostUnknown", { cap, model });
      if (price === undefined && !warned.has(model)) {
        warned.add(model);
        const { reason, message } = new HarnessError("CostUncapped", { cap, model });
        context.emit({ kind: "Error", payload: { reason, message, severity: "notice" } });
      }
      if (usd >= capUsd || usd + inputCost(request, price) > capUsd) {
        throw new HarnessError("CostBudgetExceeded", { spent: dollars(usd), cap });
      }
      return next(request, context);
    });
  };
}

function inputCost({ system, tools, messages }: ModelRequest, price: Price | undefined): number {
  const prefix = system.map(({ text }) => text).join("") + JSON.stringify(tools);
  const inputTokens = estimateTokens(messages) + Math.ceil(byteLength(prefix) / BYTES_PER_TOKEN);
  const usage = { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return costOf(usage, price) ?? 0;
}

/** Renders enough digits to distinguish small sums, without trailing zeros beyond cents. */
function dollars(usd: number): string {
  return printUsd(usd).replace(/(\.\d\d\d*?)0+$/, "$1");
}
