import type { Clock } from "../../../base/world.ts";

/** Messages of a server read per second. */
export const MESSAGES_PER_SECOND_MAX = 1_000;
/** Bytes of one message of a server: more than the largest accepted result. */
export const SERVER_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const SECOND_MS = 1_000;

/** Limits an amount per second. Callers above the limit wait for the next second. */
export class RateLimit {
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
