import { performance } from "node:perf_hooks";
import type { Clock } from "../base/world.ts";

/** The machine's own clock. Its timers hold no process open. */
export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  timer(ms, callback) {
    const handle = setTimeout(callback, ms);
    handle.unref();
    return { [Symbol.dispose]: () => clearTimeout(handle) };
  },
};

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(handle);
      reject(signal.reason);
    };
    // Somebody waits for this one, so unlike a deadline it keeps the process alive.
    const handle = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
