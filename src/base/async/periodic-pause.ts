import type { Clock } from "../world.ts";

/** Longest time without a pause for signals and timers. */
const WORK_MS_MAX = 8;

/**
 * Returns a function that pauses long synchronous work at intervals, so that other tasks of this process run. Without
 * it, a loop over an in-process store would see no signal until its end.
 * @throws the signal's reason.
 */
export function periodicPause(
  clock: Pick<Clock, "monotonic" | "sleep">,
  signal: AbortSignal,
): () => Promise<void> {
  let sinceMs = clock.monotonic();
  return async () => {
    signal.throwIfAborted();
    if (clock.monotonic() - sinceMs < WORK_MS_MAX) return;
    await clock.sleep(0, signal);
    sinceMs = clock.monotonic();
  };
}
