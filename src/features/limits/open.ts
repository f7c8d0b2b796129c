import { limitsSection } from "../../config/sections/limits.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { costCap } from "./cost-cap.ts";
import { costMeter } from "./cost-meter.ts";
import { priceLookup } from "./price-lookup.ts";
import { progressGuard } from "./progress-guard.ts";

/** Opens the limits of one session: the progress guard, the cost meter and the cost cap. */
export function openLimits({ plan, budget, models }: SessionHost): OpenFeature {
  const { capUsd, spend } = budget;
  const { unknownPrice, repeatedFailures, repeatedResults } = settingsOf(limitsSection, plan());
  const guard = progressGuard({
    failuresMax: repeatedFailures,
    resultsMax: repeatedResults,
  });
  const { priceOf } = models;
  return {
    around: [
      { tool: "watch", run: guard.tool },
      { request: "watch", run: guard.request },
      ...(capUsd === undefined
        ? []
        : [{ request: "spend", run: costCap({ capUsd, spend, priceOf, unknownPrice }) } as const]),
      { request: "spend", run: costMeter(priceOf, spend) },
      { request: "spend", run: priceLookup(models) },
    ],
  };
}
