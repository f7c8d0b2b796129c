import { costOf } from "../../providers/choosing/cost.ts";
import type { RequestContext, RequestMiddleware } from "../../providers/middleware.ts";
import type { ModelRequest, ModelUsage } from "../../providers/provider.ts";
import { NO_USAGE } from "../../providers/provider.ts";
import type { Spend } from "../../session/budget/spend.ts";
import type { EngineModels } from "../../session/models.ts";
import { CacheMisses } from "./cache-miss.ts";
import { observeStream } from "./observe-stream.ts";

/** Usage of one provider call, as far as it was reported. */
interface Counted {
  readonly usage: ModelUsage | undefined;
  /** False if a part of a report was no count. */
  readonly isReadable: boolean;
}

/**
 * Counts the cost of each provider call: one CostIncremented per call, in US dollars, null if the price is
 * unknown (PROV-11).
 *
 * Stands inside retry, so that every attempt counts, also one that failed or was cancelled: the usage reported until
 * then is billed. A call that was answered to its end without any usage counts as unknown, as one whose usage is not
 * readable; one that failed without any is not counted.
 */
export function costMeter(priceOf: EngineModels["priceOf"], spend?: Spend): RequestMiddleware {
  const cacheMisses = new CacheMisses();
  return function costMeter(request, context, next) {
    let usage: ModelUsage | undefined;
    let isFinished = false;
    let isReadable = true;
    return observeStream(next(request, context), {
      event(event) {
        if (event.kind === "usage") {
          usage = event.usage;
          isReadable &&= event.unreadable !== true;
        }
        if (event.kind === "finish") isFinished = true;
      },
      end() {
        if (usage !== undefined || isFinished) count(request, context, { usage, isReadable });
      },
    });
  };

  function count(request: ModelRequest, context: RequestContext, { usage, isReadable }: Counted): void {
    const provider = context.provider.name;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage ?? NO_USAGE;
    const usd = usage === undefined || !isReadable ? null : costOf(usage, priceOf(provider, request.model));
    const cacheMiss = usage && isReadable ? cacheMisses.answered(request, context, usage) : undefined;
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
      ...(cacheMiss === undefined ? {} : { cacheMiss }),
    };
    spend?.count(payload);
    context.emit({ kind: "CostIncremented", payload });
  }
}
