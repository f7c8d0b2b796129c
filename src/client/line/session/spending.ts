import type { Envelope } from "../../../protocol/events/envelope.ts";
import { PRICE_UNKNOWN, printPrice, withBefore } from "../../../view/costs/cost.ts";
import type { Costs } from "../../../view/costs/cost-book.ts";
import { CostBook } from "../../../view/costs/cost-book.ts";
import { addTurnCost, NO_TURN_COSTS } from "../../../view/costs/turn-costs.ts";

/** Costs of the newest turn and of the session that is watched, from its events. */
export class Spending {
  readonly #book = new CostBook();
  #turn = NO_TURN_COSTS;
  #unknownTold = false;

  /** All costs, and what for. */
  get costs(): Costs {
    return this.#book.costs;
  }

  add(envelope: Envelope): void {
    this.#book.add(envelope);
    const isNew = envelope.kind === "TurnStarted" && envelope.parentCall === undefined;
    this.#turn = addTurnCost(isNew ? NO_TURN_COSTS : this.#turn, envelope);
  }

  /** Costs of this turn and of the session as text. If nothing is known at all, that is returned once, then undefined. */
  text(): string | undefined {
    const { total, before } = this.#book.costs;
    const [turn, session] = [this.#turn.total, total].map(printPrice);
    if (turn !== PRICE_UNKNOWN || session !== PRICE_UNKNOWN) {
      const together =
        before === undefined ? "" : `, ${printPrice(withBefore(total, before))} with those before it`;
      return `${turn} this turn, ${session} this session${together}`;
    }
    if (this.#unknownTold) return undefined;
    this.#unknownTold = true;
    return PRICE_UNKNOWN;
  }
}
