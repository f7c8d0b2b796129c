import { settingsOf, sourceOf } from "../../config/settings/settings.ts";
import type { RunMaterial } from "../../session/plan/run-material.ts";
import { least } from "../../session/plan/run-settings.ts";
import type { SpendTotals } from "../../session/spend.ts";
import { bothSpent, NOTHING_SPENT, Spend } from "../../session/spend.ts";
import { limitsSection } from "./config.ts";
import { countSpent, spentBefore } from "./spent.ts";

/** What a session has spent, and what it may spend. */
export interface Tally {
  /** What the cap is held against, as it grows. */
  readonly spend: Spend;
  /** US dollars; undefined: without a cap. */
  readonly capUsd: number | undefined;
  /** What was spent in this session and in those whose place it took. */
  readonly together: () => Promise<SpendTotals>;
}

/**
 * Opens the tally of a session (ENG-13): of its log so far, where anything is held against it.
 *
 * A cap that a person has set, for this session or in `config.toml`, goes on counting where a session goes on under
 * another profile: what the sessions before have cost is part of it. A cap of the profile alone counts from the
 * switch to that profile on.
 */
export async function openTally({ logId, profile, log, place, defaults }: RunMaterial): Promise<Tally> {
  const { store, config } = defaults;
  const sources = { wishes: defaults, config, profile };
  const capUsd = least(settingsOf(limitsSection, sources).costUsd, defaults.atMost?.maxCostUsd);
  const isCounted = capUsd !== undefined || config.routes.length > 0;
  const spend = new Spend();
  const before = async () =>
    log.isOld ? await spentBefore(store, logId) : (place.succession?.spentBefore ?? NOTHING_SPENT);
  const isCarried = ["flag", "config"].includes(sourceOf(limitsSection, "costUsd", sources));
  if (isCounted) await countSpent(store, logId, spend);
  if (isCarried) spend.carry(await before());
  return {
    spend,
    capUsd,
    async together() {
      const own = isCounted ? spend : new Spend();
      if (!isCounted) await countSpent(store, logId, own);
      return isCarried ? own.total : bothSpent(own.total, await before());
    },
  };
}
