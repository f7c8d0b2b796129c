import type { Clock } from "../../base/world.ts";

/** Limits a number of events within a moving time window, by the monotonic clock. */
export class SlidingLimit {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #countMax: number;
  readonly #windowMs: number;
  #times: readonly number[] = [];

  constructor(clock: Pick<Clock, "monotonic">, countMax: number, windowMs: number) {
    this.#clock = clock;
    this.#countMax = countMax;
    this.#windowMs = windowMs;
  }

  count(): void {
    this.#times = [...this.#recent(), this.#clock.monotonic()];
  }

  isReached(): boolean {
    return this.#recent().length >= this.#countMax;
  }

  /** Milliseconds until another one is allowed; 0 if it is now. */
  freeInMs(): number {
    const recent = this.#recent();
    const [first = 0] = recent;
    return recent.length < this.#countMax ? 0 : first + this.#windowMs - this.#clock.monotonic();
  }

  #recent(): readonly number[] {
    const since = this.#clock.monotonic() - this.#windowMs;
    return this.#times.filter((time) => time > since);
  }
}
