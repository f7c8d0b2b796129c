import type { World } from "../../base/world.ts";
import type { Maintained } from "../store.ts";
import type { Connection, Row } from "./connection.ts";
import { spans } from "./expiry.ts";

/** Rows of expired contents that are emptied in one transaction, and free pages that are given back in one. */
const ROWS_PER_STEP = 2_000;
const PAGES_PER_STEP = 2_000;
/** Above this the write-ahead log is written back between two steps. */
const WAL_BYTES_KEPT_MAX = 8 * 1024 * 1024;

interface Maintenance {
  readonly world: World;
  readonly signal: AbortSignal;
  /** Whether the holder in a row of `leases` lives. */
  readonly isAlive: (row: Row) => boolean;
}

/** Removes everything of a log, inside a transaction. */
export function deleteLog(connection: Connection, log: number): void {
  connection.run(
    "DELETE FROM tool_call_outcomes WHERE call_id IN (SELECT call_id FROM tool_call_intents WHERE log = ?)",
    log,
  );
  const tables = [
    "tool_call_intents",
    "messages",
    "costs",
    "events",
    "key_spans",
    "data_keys",
    "leases",
    "runs",
  ];
  for (const table of tables) connection.run(`DELETE FROM ${table} WHERE log = ?`, log);
  connection.run("DELETE FROM logs WHERE num = ?", log);
}

/**
 * Gives back space (R17): removes branches that broke off, empties what has expired, hands free pages back to the disk and
 * cuts the write-ahead log. In short transactions, so that nobody who writes has to wait for it.
 */
export async function maintain(connection: Connection, maintenance: Maintenance): Promise<Maintained> {
  const { signal } = maintenance;
  const bytesBefore = bytes(connection);
  const branchesRemoved = removeBranches(connection, maintenance);
  for (const { num } of connection.all("SELECT num FROM logs")) {
    if (signal.aborted) break;
    await emptyExpired(connection, Number(num), maintenance);
  }
  await giveBackPages(connection, maintenance);
  connection.all("PRAGMA wal_checkpoint(TRUNCATE)");
  return { bytesBefore, bytesAfter: bytes(connection), branchesRemoved };
}

function bytes(connection: Connection): number {
  const row = connection.first(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  );
  return Number(row?.["bytes"] ?? 0);
}

function removeBranches(connection: Connection, { isAlive }: Maintenance): number {
  const select = `SELECT logs.num, leases.pid, leases.process_start FROM logs JOIN leases ON leases.log = logs.num
    WHERE branch_at IS NOT NULL AND branch_at > (SELECT coalesce(max(id), 0) FROM events WHERE events.log = logs.num)`;
  if (connection.all(select).length === 0) return 0;
  return connection.transaction("process", () => {
    const broken = connection.all(select).filter((row) => !isAlive(row));
    for (const { num } of broken) deleteLog(connection, Number(num));
    return broken.length;
  });
}

async function emptyExpired(connection: Connection, log: number, maintenance: Maintenance): Promise<void> {
  const { signal } = maintenance;
  const expired = spans(connection, log).filter((span) => span.isExpired && !span.isFreed);
  if (expired.length === 0) return;
  for (const { from, to } of expired) {
    for (let at = from; at <= to; at += ROWS_PER_STEP) {
      if (signal.aborted) return;
      connection.transaction("process", () =>
        connection.run(
          "UPDATE events SET content = NULL WHERE log = ? AND id BETWEEN ? AND ? AND content IS NOT NULL",
          log,
          at,
          Math.min(to, at + ROWS_PER_STEP - 1),
        ),
      );
      await boundWal(connection, maintenance);
    }
    connection.run("UPDATE key_spans SET freed = 1 WHERE log = ? AND from_event = ?", log, from);
  }
}

async function giveBackPages(connection: Connection, maintenance: Maintenance): Promise<void> {
  while (!maintenance.signal.aborted) {
    const free = Number(connection.first("PRAGMA freelist_count")?.["freelist_count"] ?? 0);
    if (free === 0) return;
    connection.all(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
    await boundWal(connection, maintenance);
  }
}

/** Between two steps: keeps the write-ahead log short, and lets others have their turn. */
async function boundWal(connection: Connection, { world }: Maintenance): Promise<void> {
  const wal = await world.files.stat(`${connection.path}-wal`);
  if ((wal?.size ?? 0) > WAL_BYTES_KEPT_MAX) connection.all("PRAGMA wal_checkpoint(PASSIVE)");
}
