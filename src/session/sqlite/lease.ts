import type { Holder } from "../store/store.ts";
import type { StoreConnection } from "./connection.ts";

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
