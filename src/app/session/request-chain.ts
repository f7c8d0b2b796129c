import type { Files } from "../../base/world.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { contextAssembly } from "../../features/agents-md/assemble.ts";
import { compactionSection } from "../../features/compaction/config.ts";
import type { CompactionSources } from "../../features/compaction/open.ts";
import { openCompaction } from "../../features/compaction/open.ts";
import { Tokens } from "../../features/compaction/window/tokens.ts";
import { costCap } from "../../features/limits/cap.ts";
import { limitsSection } from "../../features/limits/config.ts";
import { costMeter } from "../../features/limits/meter.ts";
import { priceLookup } from "../../features/limits/price-lookup.ts";
import { cacheBreakpoints } from "../../providers/cache-breakpoints.ts";
import type { RequestMiddleware } from "../../providers/middleware.ts";
import { retry } from "../../providers/retry/retry.ts";
import { takeover } from "../../providers/retry/takeover.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import type { JoinedParts } from "../../session/session-part.ts";
import type { Spend } from "../../session/spend.ts";

export interface RequestParts extends Pick<JoinedParts, "attempt"> {
  readonly files: Files;
  readonly secrets: Redactor;
  readonly spend: Spend;
  /** US dollars for the session; absent: without a cap. */
  readonly capUsd: number | undefined;
  /** Told before a history is made smaller. */
  readonly before: NonNullable<CompactionSources["before"]>;
}

/** What every request of a session passes, whatever else the session has, in the normative order: see `RequestMiddleware`. */
export function requestChain(
  material: RunMaterial,
  { files, secrets, before, spend, capUsd, attempt }: RequestParts,
): readonly RequestMiddleware[] {
  const { logId, profile, trust, workspace, defaults } = material;
  const { world, config, providers } = defaults;
  const priceOf = providers.priceOf.bind(providers);
  const tokens = new Tokens();
  const { unknownPrice } = settingsOf(limitsSection, { wishes: defaults, config, profile });
  return [
    contextAssembly({
      world,
      workingDir: workspace.root,
      promptHeader: profile.promptHeader,
      context: async (signal) => (await trust.loaded(signal)).context,
    }),
    openCompaction({
      world: { ...world, files },
      scratch: workspace.scratch,
      settings: settingsOf(compactionSection, { config, profile }),
      tools: defaults.tools,
      windowOf: providers.contextTokensOf.bind(providers),
      redact: (text) => secrets.text(text),
      before,
    }),
    cacheBreakpoints(logId),
    takeover({
      estimate: (request) => tokens.ofRequest(request.model, request),
      spentUsd: () => spend.total.usd,
    }),
    retry({ pauses: providers.pauses }),
    ...(capUsd === undefined ? [] : [costCap({ capUsd, spend, priceOf, unknownPrice })]),
    costMeter(priceOf, spend),
    priceLookup(providers),
    defaults.retention.middleware,
    ...attempt,
  ];
}
