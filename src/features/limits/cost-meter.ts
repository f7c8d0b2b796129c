import { costOf } from "../../providers/choosing/cost.ts";
import type { RequestContext, RequestMiddleware } from "../../providers/middleware.ts";
import { observeStream } from "../../providers/observe-stream.ts";
import type { ModelRequest, ModelUsage, Price } from "../../providers/provider.ts";
import { NO_USAGE } from "../../providers/provider.ts";
import type { Spend } from "../../session/budget/spend.ts";

/** Returns the price of a model at a provider; undefined if unknown. */
export type PriceOf = (provider: string, model: string) => Price | undefined;

/**
 * Counts the cost of each provider call: one CostIncremented per call, in US dollars, null if the price is unknown
 * (PROV-11).
 *
 * Stands inside retry, so that every attempt counts, also one that failed or was cancelled: the usage reported until
 * then is billed. A call that was answered to its end without any usage counts as unknown; one that failed without
 * any is not counted.
 */
export function costMeter(priceOf: PriceOf, spend?: Spend): RequestMiddleware {
  return function costMeter(request, context, next) {
    let usage: ModelUsage | undefined;
    let isFinished = false;
    return observeStream(next(request, context), {
      event(event) {
        if (event.kind === "usage") usage = event.usage;
        if (event.kind === "finish") isFinished = true;
      },
      end() {
        if (usage !== undefined || isFinished) count(request, context, usage);
      },
    });
  };

  function count(request: ModelRequest, context: RequestContext, usage: ModelUsage | undefined): void {
    const provider = context.provider.name;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage ?? NO_USAGE;
    const usd = usage === undefined ? null : costOf(usage, priceOf(provider, request.model));
    const payload = {
      provider,
      model: request.model,
      inputTokens,
      outputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      usd,
      turn: context.turn,
      ...(context.purpose === undefined ? {} : { purpose: "summary" as const }),
    };
    spend?.count(payload);
    context.emit({ kind: "CostIncremented", payload });
  }
}
