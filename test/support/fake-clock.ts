import type { Clock } from "../../src/base/world.ts";
import { ROUND_FLUSH_MS } from "../../src/engine/bus/bus.ts";

/** Turns of the event loop after which the records of a round are written though the clock stands still. */
const ROUND_FLUSH_TURNS = 8;

/**
 * A clock that stands still until a test moves it. Only the wait for the rest of a round passes by itself: a test that
 * holds a call sees its start all the same.
 */
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

  function timer(ms: number, fire: () => void): Disposable {
    return ms === ROUND_FLUSH_MS ? afterTurns(fire) : wait(ms, fire);
  }

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
    timer,
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

function afterTurns(fire: () => void): Disposable {
  let isOver = false;
  const turns = async () => {
    for (let turn = 0; turn < ROUND_FLUSH_TURNS; turn++)
      await new Promise<void>((resolve) => setImmediate(resolve));
    if (!isOver) fire();
  };
  void turns();
  return {
    [Symbol.dispose]() {
      isOver = true;
    },
  };
}

/** Lets everything that is ready to run do so. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
