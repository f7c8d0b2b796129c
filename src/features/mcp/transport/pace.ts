import type { Clock } from "../../../base/world.ts";

/** A server that says more is read no faster. */
export const MESSAGES_PER_SECOND_MAX = 1_000;
const SECOND_MS = 1_000;

/** Lets so much pass in a second, and has whoever brings more wait for the next one. */
export class Pace {
  readonly #clock: Clock;
  readonly #perSecondMax: number;
  #secondAt: number;
  #spent = 0;

  constructor(clock: Clock, perSecondMax: number) {
    this.#clock = clock;
    this.#perSecondMax = perSecondMax;
    this.#secondAt = clock.monotonic();
  }

  /** @throws the signal's reason. */
  async spend(amount: number, signal: AbortSignal): Promise<void> {
    this.#spent += amount;
    const passed = this.#clock.monotonic() - this.#secondAt;
    if (passed >= SECOND_MS) {
      this.#secondAt = this.#clock.monotonic();
      this.#spent = amount;
    } else if (this.#spent >= this.#perSecondMax) {
      await this.#clock.sleep(SECOND_MS - passed, signal);
      this.#secondAt = this.#clock.monotonic();
      this.#spent = 0;
    }
  }
}
