import { HarnessError, hasReason } from "../../base/errors.ts";
import type { Clock } from "../../base/world.ts";
import type { Connection } from "./connection.ts";

/** Total wait for another process's transaction, which takes about a millisecond. */
export const BUSY_MS_MAX = 30_000;
/** Total wait for readers before the write-ahead log is left as long as it is. */
const READERS_MS_MAX = 5_000;
/** Pauses between the first tries. */
const PAUSES_MS: readonly number[] = [1, 2, 5, 10, 15, 20];
/** The pause from then on. Short, because nobody queues for the lock: who seldom tries never gets it among many. */
const PAUSE_MS_MAX = 25;

/**
 * Runs work against the file, again after a pause while another process has it locked, without blocking the thread.
 *
 * The first try runs at once, in the same step as the call. Work that failed with StoreBusy must have changed nothing, as a
 * transaction that was rolled back has not.
 * @throws StoreBusy after the total wait, and whatever else the work throws.
 */
export type WhenFree = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

export interface Patience {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly msMax: number;
  /** Ends every wait with its reason. */
  readonly signal: AbortSignal;
}

/** Makes a `WhenFree` with these limits. */
export function patient({ clock, msMax, signal }: Patience): WhenFree {
  return async (work) => {
    let giveUpAt: number | undefined;
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (thrown) {
        if (!hasReason(thrown, "StoreBusy")) throw thrown;
        giveUpAt ??= clock.monotonic() + msMax;
        const leftMs = giveUpAt - clock.monotonic();
        if (leftMs <= 0) throw thrown;
        await clock.sleep(Math.min(leftMs, PAUSES_MS[tries] ?? PAUSE_MS_MAX), signal);
      }
    }
  };
}

/** Writes the write-ahead log back and cuts it to nothing. Leaves it where somebody reads it for 5 s, or the signal aborts. */
export async function truncateLog(
  connection: Connection,
  patience: Pick<Patience, "clock" | "signal">,
): Promise<void> {
  const whenFree = patient({ ...patience, msMax: READERS_MS_MAX });
  try {
    await whenFree(() => {
      const busy = connection.first("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"];
      if (busy !== 0n) {
        throw new HarnessError("StoreBusy", { path: connection.path, detail: "it is being read" });
      }
    });
  } catch (thrown) {
    if (!hasReason(thrown, "StoreBusy") && !patience.signal.aborted) throw thrown;
  }
}
