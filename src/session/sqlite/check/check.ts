import { HarnessError } from "../../../base/errors.ts";
import type { CallId, LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import {
  branchFinding,
  clockFinding,
  gapFinding,
  headsFinding,
  keptWalFinding,
  leaseFinding,
  lossFinding,
  missingHeadsFinding,
  orphanFinding,
  structureFinding,
  unreadableFinding,
  unreadFramesFinding,
} from "../../store/findings.ts";
import type { StoreFinding } from "../../store/store.ts";
import type { Row, StoreConnection } from "../connection.ts";
import { detailOf } from "../failure.ts";
import { notExpired } from "../retention/expiry.ts";
import type { RowReader } from "../rows.ts";
import type { HeadFile } from "../wal/head-file.ts";
import { bootOf } from "../wal/head-file.ts";
import { keptWal } from "../wal/kept-wal.ts";
import { framesBehind } from "../wal/wal.ts";
import { checkContents } from "./check-contents.ts";
import { findLosses } from "./losses.ts";

/** Faults that SQLite names before it stops looking. */
const FAULTS_MAX = 20;
const DAY_MS = 86_400_000;

interface Checking {
  readonly depth: "quick" | "full";
  readonly signal: AbortSignal;
  readonly world: Pick<World, "machine" | "clock" | "files">;
  readonly heads: HeadFile;
}

/**
 * Checks an open store for damage, changing nothing. A part that cannot be read is a finding; the check continues
 * with the rest.
 */
export async function* checkStore(
  connection: StoreConnection,
  rows: RowReader,
  checking: Checking,
): AsyncGenerator<StoreFinding> {
  const { depth, signal, world } = checking;
  yield* checkStructure(connection, depth);
  yield* checkHeads(connection, checking);
  for (const log of readable(connection, "The table of logs", LOGS, checking)) {
    if ("kind" in log) {
      yield log;
      continue;
    }
    signal.throwIfAborted();
    await world.files.stat(connection.path); // gives way to other work
    const logId = String(log.row["log_id"]) as LogId;
    yield* attempted(logId, () => checkLog(connection, logId, log.row, checking));
    if (depth === "quick") continue;
    const num = Number(log.row["num"]);
    yield* checkContents(connection, rows, { log: num, logId, signal });
    const { checkIndex } = await import("../search/check-index.ts");
    yield* checkIndex(connection, rows.keys, { log: num, logId });
  }
}

/** Compares the logs with their heads. */
function* checkHeads(connection: StoreConnection, checking: Checking): Generator<StoreFinding> {
  const { world, heads } = checking;
  try {
    for (const { loss } of findLosses({ connection, heads, boot: bootOf(world.machine) }))
      yield lossFinding(loss);
    // A process that adds to the write-ahead log is no damage to it.
    const behind = isHeld(connection, checking) ? 0 : framesBehind(connection.path);
    if (behind > 0) yield unreadFramesFinding(`${connection.path}-wal`, behind);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield structureFinding("The table of logs", detailOf(thrown));
  }
  const copy = keptWal(connection.path);
  if (copy !== undefined) yield keptWalFinding(copy);
  const { unreadable, missing } = heads.read();
  if (unreadable > 0) yield headsFinding(heads.path, unreadable);
  // A new store has no file yet: it is written with the first event.
  if (missing === true && connection.all("SELECT 1 FROM logs WHERE commits > 0 LIMIT 1").length > 0)
    yield missingHeadsFinding(heads.path);
}

function isHeld(connection: StoreConnection, { world }: Checking): boolean {
  return connection
    .all("SELECT pid, process_start FROM leases WHERE pid IS NOT NULL")
    .some((row) => world.machine.isAlive(Number(row["pid"]), String(row["process_start"])));
}

/** Checks the structure of the file, by itself. */
export function* checkStructure(
  connection: StoreConnection,
  depth: "quick" | "full",
): Generator<StoreFinding> {
  const pragma = depth === "full" ? "integrity_check" : "quick_check";
  const place = `The database ${connection.path}`;
  try {
    for (const row of connection.all(`PRAGMA ${pragma}(${FAULTS_MAX})`)) {
      const report = String(row[pragma]);
      if (report !== "ok") yield structureFinding(place, report.replaceAll(/\s+/g, " ").trim());
    }
    if (depth === "quick") return;
    for (const { table, parent } of connection.all("PRAGMA foreign_key_check").slice(0, FAULTS_MAX)) {
      yield structureFinding(place, `a row of ${table} belongs to one of ${parent} that is missing`);
    }
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield structureFinding(place, detailOf(thrown));
  }
}

const LOGS = `SELECT logs.num, log_id, updated_at, branch_at, pid, process_start FROM logs
  LEFT JOIN leases ON leases.log = logs.num WHERE deleted = 0 ORDER BY logs.num`;

function* readable(
  connection: StoreConnection,
  place: string,
  sql: string,
  { signal }: Checking,
): Generator<StoreFinding | { readonly row: Row }> {
  signal.throwIfAborted();
  let rows: readonly Row[];
  try {
    rows = connection.all(sql);
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield structureFinding(place, detailOf(thrown));
    return;
  }
  for (const row of rows) yield { row };
}

function* checkLog(
  connection: StoreConnection,
  logId: LogId,
  row: Row,
  { world }: Checking,
): Generator<StoreFinding> {
  const { num, branch_at, updated_at, pid, process_start } = row;
  const log = Number(num);
  const holder = typeof process_start === "string" && { pid: Number(pid), processStart: process_start };
  const isHeld = holder !== false && world.machine.isAlive(holder.pid, holder.processStart);
  if (pid === undefined)
    yield unreadableFinding(logId, `The log ${logId} has lost the row that says who holds it.`);
  if (holder !== false && !isHeld) yield leaseFinding(logId, holder);
  const { count, last } = countEvents(connection, log);
  if (count !== last && hasUncoveredHole(connection, log)) yield gapFinding(logId, { count, last });
  if (branch_at !== null && Number(branch_at) > last && !isHeld) yield branchFinding(logId);
  const newest = Date.parse(String(updated_at));
  if (newest > world.clock.now() + DAY_MS) yield clockFinding(logId, String(updated_at));
  if (!isHeld) yield* orphans(connection, log, logId);
}

function countEvents(connection: StoreConnection, log: number): { count: number; last: number } {
  const row = connection.first("SELECT count(*) AS count, max(id) AS last FROM events WHERE log = ?", log);
  return { count: Number(row?.["count"] ?? 0), last: Number(row?.["last"] ?? 0) };
}

/** Returns true if events are missing, except for ids that a crash took: a StreamGap in the log stands for those. */
function hasUncoveredHole(connection: StoreConnection, log: number): boolean {
  const hole = connection.first(
    `SELECT 1 FROM (SELECT id, kind, meta, lag(id, 1, 0) OVER (ORDER BY id) AS before FROM events WHERE log = ?)
     WHERE id <> before + 1 AND (kind <> 'StreamGap' OR meta IS NULL OR json_extract(meta, '$.from') <> before + 1)`,
    log,
  );
  return hole !== undefined;
}

function* orphans(connection: StoreConnection, log: number, logId: LogId): Generator<StoreFinding> {
  const rows = connection.all(
    `SELECT call_id, tool_name, started_at FROM tool_call_intents
     WHERE log = ? AND outcome IS NULL
     AND ${notExpired("tool_call_intents")} ORDER BY started_at, call_id`,
    log,
  );
  for (const { call_id, tool_name, started_at } of rows) {
    const [tool, startedAt] = [String(tool_name), String(started_at)];
    yield orphanFinding(logId, { callId: String(call_id) as CallId, tool, startedAt });
  }
}

/** Yields the findings about one log; a log that cannot be examined is a finding too. */
function* attempted(logId: LogId, look: () => Generator<StoreFinding>): Generator<StoreFinding> {
  try {
    yield* look();
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    yield unreadableFinding(logId, `The log ${logId} cannot be read: ${detailOf(thrown)}`);
  }
}
