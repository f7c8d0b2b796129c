import type { Cost } from "../client/kit/cost.ts";
import { addCost, NO_COST, printPrice, printTokens } from "../client/kit/cost.ts";
import { neutraliseLine } from "../client/kit/terminal-text.ts";
import type { PayloadOf } from "../protocol/events.ts";

/** A line for each model that was asked, in the order of the first call. */
export function attributed(costs: readonly PayloadOf<"CostIncremented">[]): readonly string[] {
  const models = new Map<string, Cost>();
  for (const cost of costs) {
    const name = `${cost.provider}:${cost.model}`;
    models.set(name, addCost(models.get(name) ?? NO_COST, cost));
  }
  return [...models].map(
    ([name, cost]) => `${neutraliseLine(name)}  ${printPrice(cost)}: ${printTokens(cost)}`,
  );
}
