import { DeadlineReached } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";

/** Measures how long a plugin delays something. Time spent in `away` does not count. */
export class PausableDeadline implements Disposable {
  readonly #clock: Clock;
  readonly #msMax: number;
  readonly #end = new AbortController();
  #timer: Disposable | undefined;
  #isOver = false;

  constructor(clock: Clock, msMax: number) {
    this.#clock = clock;
    this.#msMax = msMax;
    this.#begin();
  }

  /** Aborts with a DeadlineReached when the limit is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Runs something whose time does not count. The limit starts again afterwards. */
  async whilePaused<Value>(run: () => Promise<Value>): Promise<Value> {
    this.#timer?.[Symbol.dispose]();
    try {
      return await run();
    } finally {
      this.#begin();
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }

  #begin(): void {
    if (this.#isOver) return;
    this.#timer = this.#clock.timer(this.#msMax, () => this.#end.abort(new DeadlineReached(this.#msMax)));
  }
}
