import type { Clock } from "../../../src/base/world.ts";

interface Waiter {
  readonly due: number;
  readonly fire: () => void;
}

const START_MS = 1_750_000_000_000;
/** A library that draws at most every 16 ms has drawn nothing for long. */
const ELAPSED_MS = 100_000;
/** Turns of the event loop in which everything that is ready has run. */
const SETTLE_TURNS = 4;

/** A clock that only a sequence moves. It also drives the timers of the process while that is played. */
export class PlayedClock implements Pick<Clock, "now" | "monotonic" | "timer"> {
  #elapsed = ELAPSED_MS;
  #shown: number | undefined;
  readonly #waiters = new Set<Waiter>();
  /** Timers of the world around the client. */
  readonly #foreign = new Set<Waiter>();

  now(): number {
    return START_MS + this.monotonic();
  }

  monotonic(): number {
    return this.#shown ?? this.#elapsed;
  }

  timer(ms: number, callback: () => void): Disposable {
    const waiter = { due: this.#elapsed + ms, fire: callback };
    this.#waiters.add(waiter);
    return { [Symbol.dispose]: () => void this.#waiters.delete(waiter) };
  }

  /** A timer of the world around the client, which `pending` does not count. */
  foreignTimer(ms: number, callback: () => void): void {
    const waiter = { due: this.#elapsed + ms, fire: callback };
    this.#waiters.add(waiter);
    this.#foreign.add(waiter);
  }

  /** Timers of the client that wait. */
  get pending(): number {
    return this.#waiters.size - this.#foreign.size;
  }

  /** Calls back while the clock shows an earlier moment. */
  at<Value>(ms: number, call: () => Value): Value {
    this.#shown = ms;
    try {
      return call();
    } finally {
      this.#shown = undefined;
    }
  }

  /** Moves time on, firing what falls due in order; promises settle in between. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await settle();
    for (;;) {
      let next: Waiter | undefined;
      for (const waiter of this.#waiters)
        if (waiter.due <= until && (next === undefined || waiter.due < next.due)) next = waiter;
      if (next === undefined) break;
      this.#elapsed = Math.max(this.#elapsed, next.due);
      this.#waiters.delete(next);
      this.#foreign.delete(next);
      next.fire();
      await settle();
    }
    this.#elapsed = until;
  }
}

/** Lets everything that is ready to run do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn += 1)
    await new Promise<void>((resolve) => setImmediate(resolve));
}
