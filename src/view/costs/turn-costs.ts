import type { CallId } from "../../base/ids.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import type { Cost } from "./cost.ts";
import { addCost, NO_COST } from "./cost.ts";

/** Costs of one turn with those of its sub-agents, and the provider calls that each of them has reported. */
export interface TurnCosts {
  readonly total: Cost;
  /** Reported calls without summaries, by the call that runs a sub-agent; `undefined` is the session's own agent. */
  readonly calls: ReadonlyMap<CallId | undefined, number>;
}

/**
 * Agents of a turn whose calls are counted; beyond that the count of the oldest sub-agent is forgotten, and its cost is
 * unknown if it is cut off. Each event copies the counts.
 */
const COUNTED_AGENTS_MAX = 100;

export const NO_TURN_COSTS: TurnCosts = { total: NO_COST, calls: new Map() };

/** Returns the costs of a turn that is read from the middle, after so many rounds. */
export function costsAfterRounds(rounds: number): TurnCosts {
  return { total: NO_COST, calls: new Map([[undefined, rounds]]) };
}

/** Adds an event to the costs of a turn. Returns the same value for an event without cost. */
export function addTurnCost(
  costs: TurnCosts,
  { kind, parentCall, payload }: Event & { readonly parentCall?: CallId },
): TurnCosts {
  switch (kind) {
    case "CostIncremented": {
      const total = addCost(costs.total, payload);
      if (payload.purpose === "summary") return { ...costs, total };
      const calls = new Map(costs.calls).set(parentCall, (costs.calls.get(parentCall) ?? 0) + 1);
      // The session's own agent, which counts first, is the one whose turn is sure to end.
      const oldest = calls.keys().find((agent) => agent !== undefined);
      if (calls.size > COUNTED_AGENTS_MAX) calls.delete(oldest);
      return { total, calls };
    }
    case "TurnEnded": {
      const untold = unreportedCalls(costs.calls.get(parentCall) ?? 0, payload);
      const calls = new Map(costs.calls);
      calls.delete(parentCall); // an ended sub-agent needs no count any more
      return { total: withUntold(costs.total, untold), calls };
    }
    default:
      return costs;
  }
}

/**
 * Returns the provider calls of an ended turn that never reported a cost. A cancel, an error or the time limit may
 * cut a call off before its provider reports usage: its cost is unknown, never zero.
 */
function unreportedCalls(
  reported: number,
  { reason, rounds = 0 }: Pick<PayloadOf<"TurnEnded">, "reason" | "rounds">,
): number {
  const cutOff = reason === "cancelled" || reason === "error" || reason === "time_limit";
  return cutOff ? Math.max(0, rounds - reported) : 0;
}

function withUntold(cost: Cost, untold: number): Cost {
  if (untold === 0) return cost;
  return { ...cost, calls: cost.calls + untold, unpricedCalls: cost.unpricedCalls + untold };
}
