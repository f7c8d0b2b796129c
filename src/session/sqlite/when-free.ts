import type { BusyRetryOptions } from "../../base/async/retry-while-busy.ts";
import { retryWhileBusy } from "../../base/async/retry-while-busy.ts";
import { HarnessError, hasReason } from "../../base/errors.ts";
import type { StoreConnection } from "./connection.ts";

/** Total wait for another process's transaction, which takes about a millisecond. */
export const BUSY_MS_MAX = 30_000;
/** Total wait for readers before the write-ahead log is left as long as it is. */
const READERS_MS_MAX = 5_000;

/**
 * Runs work on the file, again after a pause while another process has it locked, without blocking the thread.
 *
 * The first try runs at once, in the same step as the call. Work that failed with StoreBusy must have changed nothing,
 * as a transaction that was rolled back has not.
 * @throws StoreBusy after the total wait, and whatever else the work throws.
 */
export type WhenFree = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

/** Makes a `WhenFree` with these limits. */
export function openWhenFree(busyRetry: BusyRetryOptions): WhenFree {
  return (work) => retryWhileBusy(busyRetry, (thrown) => hasReason(thrown, "StoreBusy"), work);
}

/**
 * Writes the write-ahead log back and truncates it. Leaves it if another process reads it for 5 s, or the
 * signal aborts.
 */
export async function truncateLog(
  connection: StoreConnection,
  busyRetry: Pick<BusyRetryOptions, "clock" | "signal">,
): Promise<void> {
  const whenUnread = openWhenFree({ ...busyRetry, msMax: READERS_MS_MAX });
  try {
    await whenUnread(() => {
      const busy = connection.first("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"];
      if (busy !== 0n) {
        throw new HarnessError("StoreBusy", { path: connection.path, detail: "it is being read" });
      }
    });
  } catch (thrown) {
    if (!hasReason(thrown, "StoreBusy") && !busyRetry.signal.aborted) throw thrown;
  }
}
