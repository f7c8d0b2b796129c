import type { CallId } from "../../base/ids.ts";
import type { Event, PayloadOf } from "../../protocol/events/events.ts";
import { priceOf } from "../../view/costs/cost.ts";
import type { TurnCosts } from "../../view/costs/turn-costs.ts";
import { addTurnCost, NO_TURN_COSTS } from "../../view/costs/turn-costs.ts";

/**
 * Cost of the running turn with that of its sub-agents, for its TurnEnded.
 *
 * One object per session, because a session runs one turn at a time.
 */
export class TurnSpend {
  #costs: TurnCosts = NO_TURN_COSTS;

  /** Starts counting for a new turn. */
  begin(): void {
    this.#costs = NO_TURN_COSTS;
  }

  /** Counts an event that the turn, or a sub-agent of it, publishes. */
  add(event: Event, parentCall?: CallId): void {
    this.#costs = addTurnCost(this.#costs, parentCall === undefined ? event : { ...event, parentCall });
  }

  /** Returns tokens and money of the turn, with the end of its own agent; nothing if it called no provider. */
  endedBy(event: Event): Pick<PayloadOf<"TurnEnded">, "usage" | "usd"> {
    const { total } = addTurnCost(this.#costs, event);
    if (total.calls === 0) return {};
    const { calls, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = total;
    const usage = { calls, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
    return { usage, usd: priceOf(total) };
  }
}
