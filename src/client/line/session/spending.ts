import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import {
  addCost,
  NO_COST,
  PRICE_UNKNOWN,
  printPrice,
  settledCost,
  sumOfCosts,
  withBefore,
} from "../../../view/costs/cost.ts";
import type { Costs } from "../../../view/costs/cost-book.ts";
import { CostBook } from "../../../view/costs/cost-book.ts";

/** What the turn and the session that are watched have cost, made of their events. */
export class Spending {
  readonly #book = new CostBook();
  #before = NO_COST;
  #turn = NO_COST;
  #unknownTold = false;

  /** All of it, and what for. */
  get costs(): Costs {
    return this.#book.costs;
  }

  add(envelope: Envelope): void {
    this.#book.add(envelope);
    if (envelope.kind === "CostIncremented") this.#turn = addCost(this.#turn, envelope.payload);
    if (envelope.parentCall !== undefined) return;
    if (envelope.kind === "TurnEnded") this.#turn = settledCost(this.#turn, envelope.payload);
    if (envelope.kind !== "TurnStarted") return;
    this.#before = this.#session;
    this.#turn = NO_COST;
  }

  /** Of this turn and of the session. That nothing at all is known is told once: it will not be another time. */
  text(): string | undefined {
    const [turn, session] = [this.#turn, this.#session].map(printPrice);
    if (turn !== PRICE_UNKNOWN || session !== PRICE_UNKNOWN)
      return `${turn} this turn, ${session} this session${this.#together()}`;
    if (this.#unknownTold) return undefined;
    this.#unknownTold = true;
    return PRICE_UNKNOWN;
  }

  #together(): string {
    const { before } = this.#book.costs;
    return before === undefined
      ? ""
      : `, ${printPrice(withBefore(this.#session, before))} with those before it`;
  }

  get #session(): Cost {
    return sumOfCosts(this.#before, this.#turn);
  }
}
