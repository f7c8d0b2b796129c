import { DeadlineReached } from "../errors.ts";
import type { Clock } from "../world.ts";

/** A signal that aborts with its parent, or by itself after a time; disposing it frees the timer. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Restarts the wait, by default with its last limit in milliseconds. */
  restart(ms?: number): void;
  /** Stops the wait until it is restarted. */
  pause(): void;
  /** True if the time limit, not the parent, ended it. */
  readonly reached: boolean;
}

/**
 * Joins a parent signal with a limit of `ms` milliseconds.
 *
 * The reason is the parent's, or a `DeadlineReached`. `AbortSignal.timeout` is not used: its timer stays alive after
 * the work is done, and a test could not decide when it fires.
 */
export function deadline(clock: Pick<Clock, "timer">, ms: number, parent: AbortSignal): Deadline {
  const controller = new AbortController();
  let reached = false;
  let disposed = false;
  let limitMs = ms;
  let timer = start();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });

  function start(): Disposable {
    return clock.timer(limitMs, () => {
      if (controller.signal.aborted) return;
      reached = true;
      controller.abort(new DeadlineReached(limitMs));
    });
  }

  return {
    signal: controller.signal,
    get reached() {
      return reached;
    },
    restart(next = limitMs) {
      limitMs = next;
      timer[Symbol.dispose]();
      if (!disposed && !controller.signal.aborted) timer = start();
    },
    pause: () => timer[Symbol.dispose](),
    [Symbol.dispose]() {
      disposed = true;
      timer[Symbol.dispose]();
      parent.removeEventListener("abort", follow);
    },
  };
}

/**
 * Waits for a promise no longer than the signal lives.
 *
 * This stops the waiting, not the work: pass the same signal to the work. It is for promises of foreign code that may
 * ignore the signal.
 */
export function whileAlive<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    promise.catch(() => undefined); // its outcome is no longer read
    return Promise.reject(signal.reason);
  }
  return new Promise<Value>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
