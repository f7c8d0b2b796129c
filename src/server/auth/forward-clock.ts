import type { Clock } from "../../base/world.ts";

/**
 * The time of the machine, which for this never goes back: a clock that is set back while the engine runs does not bring
 * expired tokens to life again. In between it goes on as the monotonic clock does.
 */
export function forwardClock(clock: Pick<Clock, "now" | "monotonic">): () => number {
  let wall = clock.now();
  let steady = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    wall = Math.max(clock.now(), wall + (now - steady));
    steady = now;
    return wall;
  };
}
