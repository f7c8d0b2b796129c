import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { isTurnStarted } from "../turn-marks.ts";
import type { Cost } from "./cost.ts";
import { NO_COST, sumOfCosts } from "./cost.ts";
import type { TurnCosts } from "./turn-costs.ts";
import { addTurnCost, NO_TURN_COSTS } from "./turn-costs.ts";

export type SpentBefore = NonNullable<PayloadOf<"ProfileSwitched">["spentBefore"]>;

/** Costs of a session: of the newest turn, and of everything before it. */
export interface SessionCosts {
  /** Costs of the newest turn, and those after it. */
  readonly turn: TurnCosts;
  readonly earlier: Cost;
  /** Costs of the sessions that this one continues under another profile. */
  readonly before?: SpentBefore;
}

export const NO_SESSION_COSTS: SessionCosts = { turn: NO_TURN_COSTS, earlier: NO_COST };

/** Returns the costs of a session after one more event; the same value for an event without cost. */
export function sessionCostsAfter(costs: SessionCosts, envelope: Envelope): SessionCosts {
  if (envelope.kind === "ProfileSwitched") {
    const { spentBefore } = envelope.payload;
    return spentBefore === undefined ? costs : { ...costs, before: spentBefore };
  }
  if (isTurnStarted(envelope)) return { ...costs, earlier: totalCost(costs), turn: NO_TURN_COSTS };
  const turn = addTurnCost(costs.turn, envelope);
  return turn === costs.turn ? costs : { ...costs, turn };
}

/** Returns the costs of the whole session, without those of the sessions before it. */
export function totalCost({ earlier, turn }: SessionCosts): Cost {
  return sumOfCosts(earlier, turn.total);
}
