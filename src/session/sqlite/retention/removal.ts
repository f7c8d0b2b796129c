import type { World } from "../../../base/world.ts";
import type { StoreConnection } from "../connection.ts";
import { removalFailure } from "../failure.ts";
import type { WhenFree } from "../when-free.ts";
import { truncateLog } from "../when-free.ts";

/** Rows that are removed or emptied in one transaction: others write between them. */
export const ROWS_PER_STEP = 2_000;
/** The write-ahead log is written back between two steps if it is larger. */
export const WAL_BYTES_KEPT_MAX = 8 * 1024 * 1024;

/** Rows of the first step on a full disk; each step that follows is twice as large. */
const TIGHT_ROWS = 50;
/** Free pages that are returned in one transaction on a full disk. */
const TIGHT_PAGES = 16;

interface Removal {
  readonly world: Pick<World, "files" | "clock">;
  readonly whenFree: WhenFree;
  readonly signal: AbortSignal;
  /** True if the disk is full: the space that a step frees is returned before the next. */
  readonly isTight?: boolean;
}

/**
 * Hides a log, and makes its content unreadable for good, inside a transaction. Its row stays until nothing else of it
 * is left, so that the next maintenance completes what a killed process has begun: `removeRows`, then `removeLogRow`.
 */
export function forgetLog(connection: StoreConnection, log: number): void {
  connection.run(
    "UPDATE logs SET deleted = 1, title = NULL, key_id = NULL, working_dir = '' WHERE num = ?",
    log,
  );
  connection.run("UPDATE data_keys SET wrapped = NULL WHERE log = ?", log);
  connection.run("DELETE FROM notes WHERE log = ?", log);
  connection.run("DELETE FROM marks WHERE log = ?", log);
}

/** Tables and the column that orders their rows in a log, each before the table that its rows refer to. */
const STEPS = [
  ["search_segments", "from_event"],
  ["tool_call_intents", "call_id"],
  ["messages", "seq"],
  ["costs", "event"],
  ["events", "id"],
] as const;

/**
 * Removes the rows that belong to a forgotten log, in steps. After a signal or a crash, the next maintenance removes
 * the rest.
 */
export async function removeRows(connection: StoreConnection, log: number, removal: Removal): Promise<void> {
  const { isTight = false } = removal;
  // The removed content was sealed, and its key is gone: overwriting would write all of it once more.
  if (isTight) connection.execute("PRAGMA secure_delete = FAST");
  let rows = isTight ? TIGHT_ROWS : ROWS_PER_STEP;
  for (const [table, column] of STEPS) {
    const first = `SELECT log, ${column} FROM ${table} WHERE log = ? ORDER BY ${column} LIMIT ?`;
    const sql = `DELETE FROM ${table} WHERE (log, ${column}) IN (${first})`;
    let removed = rows;
    while (removed > 0) {
      if (removal.signal.aborted) return;
      removed = await removing(connection, removal, () => connection.run(sql, log, rows).changes);
      if (isTight) await giveBack(connection, removal);
      await betweenSteps(connection, removal);
      rows = Math.min(ROWS_PER_STEP, 2 * rows);
    }
  }
  await removing(connection, removal, () => {
    for (const table of ["notes", "marks", "key_spans", "data_keys", "leases", "runs"]) {
      connection.run(`DELETE FROM ${table} WHERE log = ?`, log);
    }
  });
  if (isTight) connection.execute("PRAGMA secure_delete = ON");
}

/** Removes the row of a forgotten log itself: the deletion is complete, and nothing remembers it. */
export async function removeLogRow(
  connection: StoreConnection,
  log: number,
  removal: Pick<Removal, "whenFree">,
): Promise<void> {
  await removing(connection, removal, () =>
    connection.run("DELETE FROM logs WHERE num = ? AND deleted = 1", log),
  );
}

/** @throws HarnessError StoreCorrupt if a row that belongs to another log blocks the removal. */
async function removing<Result>(
  connection: StoreConnection,
  { whenFree }: Pick<Removal, "whenFree">,
  work: () => Result,
): Promise<Result> {
  try {
    return await whenFree(() => connection.transaction("process", work));
  } catch (thrown) {
    throw removalFailure(thrown, connection.path);
  }
}

/** Returns every free page to the disk, few at a time, and truncates the write-ahead log. */
async function giveBack(connection: StoreConnection, { world, whenFree, signal }: Removal): Promise<void> {
  const busyRetry = { clock: world.clock, signal };
  await truncateLog(connection, busyRetry);
  while (Number(connection.first("PRAGMA freelist_count")?.["freelist_count"] ?? 0) > 0) {
    await whenFree(() => connection.all(`PRAGMA incremental_vacuum(${TIGHT_PAGES})`));
    await truncateLog(connection, busyRetry);
  }
}

/** Keeps the write-ahead log short, and gives way to other writers. */
export async function betweenSteps(
  connection: StoreConnection,
  { world }: { readonly world: Pick<World, "files"> },
): Promise<void> {
  const wal = await world.files.stat(`${connection.path}-wal`);
  if ((wal?.size ?? 0) > WAL_BYTES_KEPT_MAX) connection.all("PRAGMA wal_checkpoint(PASSIVE)");
}
