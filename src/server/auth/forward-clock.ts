import type { Clock } from "../../base/world.ts";

/**
 * Returns a clock that never goes back: setting the machine's clock back while the engine runs does not make expired
 * tokens valid again. Meanwhile it follows the monotonic clock.
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
