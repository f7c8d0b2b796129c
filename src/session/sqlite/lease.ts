import type { Holder } from "../store/store.ts";
import type { StoreConnection, Value } from "./connection.ts";

export interface LeaseRequest {
  /** Row numbers of the log and of the run that will write it. */
  readonly log: number;
  readonly run: number;
  readonly holder: Holder;
}

/**
 * Takes the lease of a log under a new epoch, inside a transaction that has checked that no living process holds it.
 */
export function takeLease(connection: StoreConnection, { log, run, holder }: LeaseRequest): number {
  const row = connection.first(
    `INSERT INTO leases (log, epoch, pid, process_start, run) VALUES (?, 1, ?, ?, ?)
     ON CONFLICT (log) DO UPDATE SET epoch = epoch + 1, pid = excluded.pid,
       process_start = excluded.process_start, run = excluded.run
     RETURNING epoch`,
    log,
    holder.pid,
    holder.processStart,
    run,
  );
  return Number(row?.["epoch"]);
}

/** Returns true if the log is still written under this epoch. */
export function holdsLease(connection: StoreConnection, log: number, epoch: number): boolean {
  const row = connection.first("SELECT epoch FROM leases WHERE log = ? AND pid IS NOT NULL", log);
  return row !== undefined && Number(row["epoch"]) === epoch;
}

/** Gives the lease back, unless it was taken over. The epoch stays, so that it is never used twice. */
export function giveBackLease(connection: StoreConnection, log: number, epoch: number): void {
  connection.run(
    "UPDATE leases SET pid = NULL, process_start = NULL WHERE log = ? AND epoch = ?",
    log,
    epoch,
  );
}

/**
 * Leases of writers that were disposed while the file could not be written, such as on a full disk. This process writes
 * none of these logs any more: it counts their leases as free, and gives them back once it can.
 */
export class UnreturnedLeases {
  /** Newest such epoch by the row number of its log. */
  readonly #epochs = new Map<number, number>();

  add(log: number, epoch: number): void {
    this.#epochs.set(log, Math.max(epoch, this.#epochs.get(log) ?? 0));
  }

  /** Returns true for the values of a row, if its lease is one of these. */
  has(log: Value | undefined, epoch: Value | undefined): boolean {
    return this.#epochs.size > 0 && this.#epochs.get(Number(log)) === Number(epoch);
  }

  /** Gives all of them back in one transaction. @throws HarnessError if the file still cannot be written. */
  giveBack(connection: StoreConnection): void {
    if (this.#epochs.size === 0) return;
    connection.transaction("process", () => {
      for (const [log, epoch] of this.#epochs) giveBackLease(connection, log, epoch);
    });
    this.#epochs.clear();
  }
}
