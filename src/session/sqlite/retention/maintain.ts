import { messageOf } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { EventRange, MaintenanceResult, RemoveBeside } from "../../store/store.ts";
import type { Row, StoreConnection } from "../connection.ts";
import { forgetInBackups } from "../schema/backups.ts";
import type { HeadFile } from "../wal/head-file.ts";
import type { WhenFree } from "../when-free.ts";
import { truncateLog } from "../when-free.ts";
import { keySpans, notExpired } from "./expiry.ts";
import type { LogEraser } from "./log-eraser.ts";
import { betweenSteps, forgetLog, ROWS_PER_STEP, WAL_BYTES_KEPT_MAX } from "./removal.ts";

/** Free pages that are returned to the disk in one transaction. */
const PAGES_PER_STEP = 2_000;

/** Logs with contents that have expired and still exist. */
const WITH_EXPIRED = `SELECT DISTINCT key_spans.log AS num FROM key_spans
  JOIN data_keys ON data_keys.key_id = key_spans.key_id JOIN logs ON logs.num = key_spans.log
  WHERE freed = 0 AND wrapped IS NULL AND deleted = 0`;

/** Notes whose content has expired. There are few notes, and they are short. */
const EXPIRED_NOTES = `SELECT log, kind, reader FROM notes WHERE NOT ${notExpired("notes")}`;

interface Maintenance {
  readonly world: World;
  readonly whenFree: WhenFree;
  readonly heads: Pick<HeadFile, "clear">;
  readonly signal: AbortSignal;
  /** Returns true if the holder in a row of `leases` lives. */
  readonly isAlive: (row: Row) => boolean;
  /** Removes the files beside a deleted log. Absent: there are none. */
  readonly beside?: RemoveBeside;
  readonly eraser: Pick<LogEraser, "forget" | "finishDeletion">;
}

/**
 * Frees space (R17): removes branches that broke off, empties expired events and returns free pages to the disk. In
 * short transactions, so that no writer waits for it. Truncates the write-ahead log if the file becomes shorter by that
 * or the log is long, or longer than the file: that syncs both on this thread, while a first answer is awaited.
 */
export async function maintain(
  connection: StoreConnection,
  maintenance: Maintenance,
): Promise<MaintenanceResult> {
  const { signal } = maintenance;
  const bytesBefore = bytes(connection);
  const { world, whenFree } = maintenance;
  await whenFree(() => forgetInBackups(connection, world));
  const branchesRemoved = await removeLeftovers(connection, maintenance);
  if (connection.first(`${EXPIRED_NOTES} LIMIT 1`) !== undefined)
    await change(connection, maintenance, () =>
      connection.run(`DELETE FROM notes WHERE (log, kind, reader) IN (${EXPIRED_NOTES})`),
    );
  for (const { num } of connection.all(WITH_EXPIRED)) {
    if (signal.aborted) break;
    await emptyExpired(connection, Number(num), maintenance);
  }
  const areReturned = await giveBackPages(connection, maintenance);
  const { file, log } = connection.sizes();
  if (areReturned || log > Math.min(file, WAL_BYTES_KEPT_MAX))
    await truncateLog(connection, { clock: world.clock, signal });
  return { bytesBefore, bytesAfter: bytes(connection), branchesRemoved };
}

function bytes(connection: StoreConnection): number {
  const row = connection.first(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  );
  return Number(row?.["bytes"] ?? 0);
}

/** Removes branches that broke off, and completes deletions that broke off. */
async function removeLeftovers(connection: StoreConnection, maintenance: Maintenance): Promise<number> {
  const { isAlive, heads, signal } = maintenance;
  const broken = connection.all(
    `SELECT logs.num, leases.pid, leases.process_start FROM logs LEFT JOIN leases ON leases.log = logs.num
     WHERE deleted = 0 AND branch_at IS NOT NULL
       AND branch_at > (SELECT coalesce(max(id), 0) FROM events WHERE events.log = logs.num)`,
  );
  const dead = broken.filter((row) => !isAlive(row));
  if (dead.length > 0) {
    await change(connection, maintenance, () => {
      for (const { num } of dead) {
        heads.clear(Number(num));
        forgetLog(connection, Number(num));
      }
    });
  }
  const forgotten = connection.all("SELECT num, log_id FROM logs WHERE deleted = 1");
  // The process that has hidden them may have died before it removed their keys from the copies.
  if (forgotten.length > 0) await maintenance.eraser.forget();
  for (const { num, log_id } of forgotten) {
    if (signal.aborted) break;
    await maintenance.eraser.finishDeletion(Number(num), {
      removeFiles: () => removeFiles(String(log_id) as LogId, maintenance), // stored as it was made
      signal,
      withRoom: async (work) => await work(false), // the reserve is for those who ask for a deletion
    });
  }
  return dead.length;
}

/** Removes the files beside a deleted log. Returns false, with a warning, if that fails. */
async function removeFiles(logId: LogId, { world, beside }: Maintenance): Promise<boolean> {
  try {
    await beside?.(logId);
    return true;
  } catch (thrown) {
    const fields = { log: logId, error: messageOf(thrown) };
    world.log
      .for("session.sqlite")
      .write("warn", "the files of a deleted session could not be removed", fields);
    return false;
  }
}

/** Deletes its messages; writes its events again without their content, close together. */
async function emptyExpired(
  connection: StoreConnection,
  log: number,
  maintenance: Maintenance,
): Promise<void> {
  const { signal } = maintenance;
  const expired = keySpans(connection, log).filter((span) => span.isExpired && !span.isFreed);
  if (expired.length === 0) return;
  const withoutKey = "log = ? AND key_id IN (SELECT key_id FROM data_keys WHERE log = ? AND wrapped IS NULL)";
  await change(connection, maintenance, () => {
    connection.run(`DELETE FROM messages WHERE ${withoutKey}`, log, log);
    connection.run(`DELETE FROM search_segments WHERE ${withoutKey}`, log, log);
    connection.run(`UPDATE tool_call_intents SET summary = NULL WHERE ${withoutKey}`, log, log);
    connection.run(
      `UPDATE logs SET title = NULL WHERE num = ? AND ${withoutKey.slice("log = ? AND ".length)}`,
      log,
      log,
    );
  });
  for (const { from, to } of expired) {
    for (let at = from; at <= to; at += ROWS_PER_STEP) {
      if (signal.aborted) return;
      const range = { from: at, to: Math.min(to, at + ROWS_PER_STEP - 1) };
      await change(connection, maintenance, () => emptyEvents(connection, log, range));
      await betweenSteps(connection, maintenance);
    }
    await change(connection, maintenance, () =>
      connection.run("UPDATE key_spans SET freed = 1 WHERE log = ? AND from_event = ?", log, from),
    );
  }
}

/** Rows that are emptied in place would leave every page mostly empty; removed and inserted again, they fill few. */
function emptyEvents(connection: StoreConnection, log: number, { from, to }: EventRange): void {
  const columns = "log, id, run, session_id, turn, kind, ts, originator, parent_call, key_id, meta";
  const range = "log = ? AND id BETWEEN ? AND ?";
  connection.execute("PRAGMA defer_foreign_keys = ON"); // costs refer to events, and get them back
  connection.execute(`CREATE TEMP TABLE IF NOT EXISTS emptied AS SELECT ${columns} FROM events WHERE 0`);
  connection.run(`INSERT INTO temp.emptied SELECT ${columns} FROM events WHERE ${range}`, log, from, to);
  connection.run(`DELETE FROM events WHERE ${range}`, log, from, to);
  connection.run(`INSERT INTO events (${columns}) SELECT ${columns} FROM temp.emptied ORDER BY id`);
  connection.run("DELETE FROM temp.emptied");
}

/** Runs the work in one short transaction. */
function change<Result>(
  connection: StoreConnection,
  { whenFree }: Maintenance,
  work: () => Result,
): Promise<Result> {
  return whenFree(() => connection.transaction("process", work));
}

/** Returns true if there were free pages. */
async function giveBackPages(connection: StoreConnection, maintenance: Maintenance): Promise<boolean> {
  let areReturned = false;
  while (!maintenance.signal.aborted) {
    const free = Number(connection.first("PRAGMA freelist_count")?.["freelist_count"] ?? 0);
    if (free === 0) break;
    areReturned = true;
    await maintenance.whenFree(() => connection.all(`PRAGMA incremental_vacuum(${PAGES_PER_STEP})`));
    await betweenSteps(connection, maintenance);
  }
  return areReturned;
}
