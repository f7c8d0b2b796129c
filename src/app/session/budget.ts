import type { LogId } from "../../base/ids.ts";
import type { TurnLimits } from "../../engine/loop/turn-limits.ts";
import { countSpent, spentBefore } from "../../session/budget/count-spent.ts";
import type { Budget } from "../../session/budget/spend.ts";
import { addSpend, NOTHING_SPENT, Spend } from "../../session/budget/spend.ts";
import type { Handover } from "../../session/handover.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { PlannedLimits } from "../../session/plan.ts";
import type { Config } from "../../session/settings/settings.ts";
import type { SessionStore } from "../../session/store/store.ts";

/** Parts that a session's budget is made of. */
export interface BudgetDependencies {
  readonly logId: LogId;
  readonly log: OpenedLog;
  readonly store: SessionStore;
  readonly config: Pick<Config, "routes">;
  readonly limits: PlannedLimits;
  readonly turn: TurnLimits;
  readonly handover?: Handover;
}

/**
 * Opens the budget of a session (ENG-13): what its log has cost so far, if anything is held against it.
 *
 * A cap of a person, for this session or in `config.toml`, also counts the sessions before a switch of profile. A cap
 * of the profile alone counts from the switch on.
 */
export async function openBudget({
  logId,
  log,
  store,
  config,
  limits,
  turn,
  handover,
}: BudgetDependencies): Promise<Budget> {
  const { costUsdMax: capUsd, isCostCarried } = limits;
  const isCounted = capUsd !== undefined || config.routes.length > 0;
  const spend = new Spend();
  const before = async () =>
    log.isOld ? await spentBefore(store, logId) : (handover?.spentBefore ?? NOTHING_SPENT);
  if (isCounted) await countSpent(store, logId, spend);
  if (isCostCarried) spend.carry(await before());
  return {
    spend,
    capUsd,
    turn,
    async together() {
      const ownSpend = isCounted ? spend : new Spend();
      if (!isCounted) await countSpent(store, logId, ownSpend);
      return isCostCarried ? ownSpend.total : addSpend(ownSpend.total, await before());
    },
  };
}
