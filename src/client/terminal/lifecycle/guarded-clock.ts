import type { Clock } from "../../../base/world.ts";

type ClientClock = Pick<Clock, "monotonic" | "now" | "timer">;

/**
 * Returns a clock whose timers never throw: a failure is shown, and the client continues (TUI-10). None is left once
 * the signal aborts, whatever is begun then.
 */
export function guardedClock(
  clock: ClientClock,
  { signal, showFailure }: { readonly signal: AbortSignal; readonly showFailure: (failure: unknown) => void },
): ClientClock {
  const waiting = new Set<Disposable>();
  signal.addEventListener("abort", () => {
    for (const timer of waiting) timer[Symbol.dispose]();
    waiting.clear();
  });
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    timer(ms, call) {
      if (signal.aborted) return { [Symbol.dispose]: () => undefined };
      const timer = clock.timer(ms, () => {
        waiting.delete(timer);
        try {
          call();
        } catch (thrown) {
          showFailure(thrown);
        }
      });
      waiting.add(timer);
      return {
        [Symbol.dispose]() {
          waiting.delete(timer);
          timer[Symbol.dispose]();
        },
      };
    },
  };
}
