import { DeadlineReached } from "../../../base/errors.ts";
import type { Clock } from "../../../base/world.ts";

/** How long a plugin holds something up: its own time counts, and not that of what it waits for with `away`. */
export class OwnTime implements Disposable {
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

  /** Aborts with a DeadlineReached once the limit is over. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Does something in time that is not its own; after it the limit begins anew. */
  async away<Value>(run: () => Promise<Value>): Promise<Value> {
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
