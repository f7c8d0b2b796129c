import type { Clock } from "../world.ts";

/** Pauses between the first tries. */
const PAUSES_MS: readonly number[] = [1, 2, 5, 10, 15, 20];
/** The pause from then on. Short, because nobody queues for the lock: who seldom tries never gets it among many. */
const PAUSE_MS_MAX = 25;

export interface Patience {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** Total wait, counted from the first try that failed. */
  readonly msMax: number;
  /** Ends every wait with its reason. */
  readonly signal: AbortSignal;
}

/**
 * Runs work against something that another process may have locked, again after a pause while `isBusy` holds for what it
 * throws. Blocks no thread.
 *
 * The first try runs at once, in the same step as the call. Work that was busy must have changed nothing.
 * @throws what the work threw last, after the total wait or where that is not busy; the reason of the signal.
 */
export async function whenFree<Result>(
  { clock, msMax, signal }: Patience,
  isBusy: (thrown: unknown) => boolean,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  let giveUpAt: number | undefined;
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (thrown) {
      if (!isBusy(thrown)) throw thrown;
      giveUpAt ??= clock.monotonic() + msMax;
      const leftMs = giveUpAt - clock.monotonic();
      if (leftMs <= 0) throw thrown;
      await clock.sleep(Math.min(leftMs, PAUSES_MS[tries] ?? PAUSE_MS_MAX), signal);
    }
  }
}
