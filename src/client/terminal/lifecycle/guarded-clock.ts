import type { Clock } from "../../../base/world.ts";

type ClientClock = Pick<Clock, "monotonic" | "now" | "timer">;

/** Returns a clock whose timers never throw: a failure is shown, and the client continues (TUI-10). */
export function guardedClock(clock: ClientClock, showFailure: (failure: unknown) => void): ClientClock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    timer: (ms, call) =>
      clock.timer(ms, () => {
        try {
          call();
        } catch (thrown) {
          showFailure(thrown);
        }
      }),
  };
}
