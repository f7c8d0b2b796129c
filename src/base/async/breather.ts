import type { Clock } from "../world.ts";

/** How long work may go on before signals and timers get their turn. */
const WORK_MS_MAX = 30;

/**
 * Lets whatever waits in this process have its turn, where work that never waits has gone on for a while: a loop over a
 * store in this process would otherwise hear no signal until its end.
 * @throws the signal's reason.
 */
export function breather(
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
