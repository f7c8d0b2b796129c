import type { Clock } from "../base/world.ts";

/** The longest timer of the runtime, which fires a longer one after a millisecond. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's clock. Its timers do not keep the process alive. */
export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep,
  timer(ms, callback) {
    return startTimer(ms, callback, { holdsOpen: false });
  },
};

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal.reason);
    };
    // The caller waits for this one, so unlike a deadline it keeps the process alive.
    const end = () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    const timer = startTimer(ms, end, { holdsOpen: true });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Starts a timer of any length: one beyond the runtime's limit is restarted for the rest. */
function startTimer(
  ms: number,
  callback: () => void,
  { holdsOpen }: { readonly holdsOpen: boolean },
): Disposable {
  let handle: ReturnType<typeof setTimeout>;
  function start(leftMs: number): void {
    const isLast = leftMs <= TIMER_MS_MAX;
    handle = setTimeout(
      () => (isLast ? callback() : start(leftMs - TIMER_MS_MAX)),
      isLast ? leftMs : TIMER_MS_MAX,
    );
    if (!holdsOpen) handle.unref();
  }
  start(ms);
  return { [Symbol.dispose]: () => clearTimeout(handle) };
}

/**
 * Keeps the process waiting until it is disposed. Without anything that can wake it, the runtime does not sleep in a
 * top-level `await`: it spins.
 */
export function holdProcessOpen(): Disposable {
  const timer = setInterval(() => undefined, TIMER_MS_MAX);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
