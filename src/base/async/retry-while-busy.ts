import type { Clock } from "../world.ts";

/** Pauses between the first tries. */
const PAUSES_MS: readonly number[] = [1, 2, 5, 10, 15, 20];
/**
 * The pause from then on. It is short, because the lock has no queue: a process that tries seldom never gets it
 * among many.
 */
const PAUSE_MS_MAX = 25;

export interface BusyRetryOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  /** Total wait, counted from the first failed try. */
  readonly msMax: number;
  /** Ends every wait with its reason. */
  readonly signal: AbortSignal;
}

/**
 * Runs a function that another process may block, and retries after a pause while `isBusy` returns true for its
 * error. Blocks no thread.
 *
 * The first try runs at once, in the same step as the call. A busy try must have changed nothing.
 * @throws the last error after the total wait, or if it is not busy; the reason of the signal.
 */
export async function retryWhileBusy<Result>(
  { clock, msMax, signal }: BusyRetryOptions,
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
