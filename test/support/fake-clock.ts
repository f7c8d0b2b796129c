import type { Clock } from "../../src/base/world.ts";

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves time on, firing what falls due in order and letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /**
   * Resolves once at least one timer or sleep is waiting: what sets it may have to read a file or load a module first.
   */
  armed(): Promise<void>;
  /** Timers and sleeps that are waiting. */
  readonly waiting: number;
}

interface Waiter {
  readonly due: number;
  readonly fire: () => void;
}

export function fakeClock(startMs = 1_750_000_000_000): FakeClock {
  let elapsed = 0;
  const waiters = new Set<Waiter>();
  let armed = Promise.withResolvers<void>();

  function wait(ms: number, fire: () => void): Disposable {
    const waiter: Waiter = { due: elapsed + ms, fire };
    waiters.add(waiter);
    armed.resolve();
    armed = Promise.withResolvers<void>();
    return { [Symbol.dispose]: () => void waiters.delete(waiter) };
  }

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
    timer: wait,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const onAbort = () => {
          waiter[Symbol.dispose]();
          reject(signal.reason);
        };
        const waiter = wait(ms, () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        });
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      while (true) {
        const next = [...waiters].filter((waiter) => waiter.due <= until).sort((a, b) => a.due - b.due)[0];
        if (next === undefined) break;
        elapsed = Math.max(elapsed, next.due);
        waiters.delete(next);
        next.fire();
        await settle();
      }
      elapsed = until;
    },
    armed: async () => await (waiters.size > 0 ? undefined : armed.promise),
    get waiting() {
      return waiters.size;
    },
  };
}

/** Lets everything that is ready to run do so. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
