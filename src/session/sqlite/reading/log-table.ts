import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { Machine } from "../../../base/world.ts";
import type { Holder, LogInfo, LogName, LogQuery, NewLog } from "../../store/store.ts";
import type { Row, StoreConnection } from "../connection.ts";
import type { UnreturnedLeases } from "../lease.ts";
import type { RowReader } from "../rows.ts";

export interface LogTableDependencies {
  readonly rows: RowReader;
  readonly machine: Pick<Machine, "isAlive">;
  readonly unreturned: UnreturnedLeases;
}

/**
 * The table of logs, and the owner of their numbers: one row for each, with its newest run, its last event and the
 * holder of its lease.
 */
export class LogTable {
  readonly #connection: StoreConnection;
  readonly #rows: RowReader;
  readonly #machine: Pick<Machine, "isAlive">;
  readonly #unreturned: UnreturnedLeases;

  constructor(connection: StoreConnection, { rows, machine, unreturned }: LogTableDependencies) {
    this.#connection = connection;
    this.#rows = rows;
    this.#machine = machine;
    this.#unreturned = unreturned;
  }

  /** Returns the row of a whole log, by its own id or by that of any of its runs. */
  find(id: LogId | SessionId): Row | undefined {
    return id.startsWith("log_")
      ? this.#row(`logs.log_id = ? AND ${IS_THERE}`, id)
      : this.#row(`logs.num = (SELECT log FROM runs WHERE session_id = ?) AND ${IS_THERE}`, id);
  }

  /** Returns the row of a log that need not be whole. @throws HarnessError SessionMissing. */
  mustFind(logId: LogId): Row {
    const row = this.#row("logs.log_id = ? AND logs.deleted = 0", logId);
    if (row === undefined) throw new HarnessError("SessionMissing", { id: logId });
    return row;
  }

  /** Adds the row of a new log, inside a transaction, and returns its number, which no log has had before. */
  add(log: NewLog): number {
    const { rowid } = this.#connection.run(
      `INSERT INTO logs (num, log_id, working_dir, profile, model, effort, created_at, updated_at, branch_of, branch_at)
       VALUES ((SELECT last + 1 FROM log_numbers), ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      log.logId,
      log.workingDir,
      log.profile,
      log.model,
      log.effort ?? null,
      log.createdAt,
      log.createdAt,
      log.branchOf?.logId ?? null,
      log.branchOf?.at ?? null,
    );
    return rowid;
  }

  /** Returns a whole log, with its title opened, in one state of the file. */
  info(id: LogId | SessionId): LogInfo | undefined {
    return this.#connection.snapshot(() => {
      const row = this.find(id);
      return row === undefined ? undefined : this.#infoOf(row);
    });
  }

  /** Returns those of these logs that are whole, in their order. A caller reads few at a time, in a snapshot. */
  infos(numbers: readonly number[]): readonly LogInfo[] {
    return this.#rowsOf(LOG_ROW, numbers).map((row) => this.#infoOf(row));
  }

  /** Returns the names of those of these logs that are whole, as `infos` does. */
  names(numbers: readonly number[]): readonly LogName[] {
    return this.#rowsOf(NAME_ROW, numbers).map((row) => this.#nameOf(row));
  }

  #rowsOf(selected: string, numbers: readonly number[]): readonly Row[] {
    const rows = this.#connection.all(
      `${selected} WHERE logs.num IN (SELECT value FROM json_each(?)) AND ${IS_THERE}`,
      JSON.stringify(numbers),
    );
    const byNumber = new Map(rows.map((row) => [Number(row["num"]), row]));
    return numbers.map((num) => byNumber.get(num)).filter((row) => row !== undefined);
  }

  /** Returns the numbers of whole logs, the newest first. */
  numbers(query: LogQuery): readonly number[] {
    const { workingDir, branchOf, contentBefore, begins, archived = "with", before, held, limit } = query;
    const wanted = [
      IS_THERE,
      ...(held === true ? [IS_HELD] : []),
      ...(archived === "with" ? [] : [`logs.archived = ${archived === "only" ? 1 : 0}`]),
      ...(before === undefined ? [] : [OLDER]),
      ...(workingDir === undefined ? [] : ["logs.working_dir = ?"]),
      ...(branchOf === undefined ? [] : ["logs.branch_of = ?"]),
      ...(begins === undefined ? [] : [RUN_BEGINS]),
      ...(contentBefore === undefined ? [] : [CONTENT_BEFORE]),
    ];
    const rows = this.#connection.all(
      `SELECT logs.num FROM logs WHERE ${wanted.join(" AND ")} ORDER BY logs.updated_at DESC, logs.num DESC LIMIT ?`,
      ...(before === undefined ? [] : [before.updatedAt, before.logId]),
      ...(workingDir === undefined ? [] : [workingDir]),
      ...(branchOf === undefined ? [] : [branchOf]),
      ...(begins === undefined ? [] : Array<string>(8).fill(begins)),
      ...(contentBefore === undefined ? [] : [contentBefore]),
      limit,
    );
    // A damaged number belongs to no log that can be read: the others are listed.
    return rows.map(({ num }) => Number(num)).filter(Number.isSafeInteger);
  }

  /** Returns the newest day before one that has a key. */
  lastDay(beforeDay: string): string | undefined {
    const newest = this.#connection.first(
      "SELECT day FROM data_keys WHERE wrapped IS NOT NULL AND day < ? ORDER BY day DESC LIMIT 1",
      beforeDay,
    );
    return newest === undefined ? undefined : this.#rows.text(newest, "day", "a key");
  }

  #infoOf(row: Row): LogInfo {
    const holder = this.holderOr(row, "nobody");
    return this.#rows.log(row, typeof holder === "object" ? holder : undefined);
  }

  #nameOf(row: Row): LogName {
    const holder = this.holderOr(row, "nobody");
    return this.#rows.logName(row, typeof holder === "object" ? holder : undefined);
  }

  /** Returns the living holder of a log, or `unknown` if its lease is damaged. */
  holderOr<Unknown extends string>(row: Row, unknown: Unknown): Holder | "nobody" | Unknown {
    try {
      return this.holderOf(row) ?? "nobody";
    } catch (thrown) {
      if (!hasReason(thrown, "StoreCorrupt")) throw thrown;
      return unknown;
    }
  }

  /**
   * Returns the living holder of a log. A lease that this store could not give back has none.
   * @throws HarnessError StoreCorrupt if its lease is damaged.
   */
  holderOf(row: Row): Holder | undefined {
    if (row["pid"] === null || this.#unreturned.has(row["num"], row["lease_epoch"])) return undefined;
    const pid = this.#rows.integer(row, "pid", "a lease");
    const processStart = this.#rows.text(row, "process_start", "a lease");
    return this.#machine.isAlive(pid, processStart) ? { pid, processStart } : undefined;
  }

  #row(where: string, value: string): Row | undefined {
    return this.#connection.first(`${LOG_ROW} WHERE ${where}`, value);
  }
}

/** The last event of a row of `logs`. */
export const LAST_EVENT = "(SELECT coalesce(max(id), 0) FROM events WHERE events.log = logs.num)";

/** A branch exists once it holds everything up to its branch point. */
export const IS_THERE = `(logs.deleted = 0 AND (logs.branch_at IS NULL OR logs.branch_at <= ${LAST_EVENT}))`;

const IS_HELD = "logs.num IN (SELECT held.log FROM leases AS held WHERE held.pid IS NOT NULL)";

/** Ids are in ASCII, below `~`: those that begin with a text stand in one stretch of their index. */
const beginsIn = (column: string, prefix: string) =>
  `(${column} >= '${prefix}' || ? AND ${column} < '${prefix}' || ? || '~')`;

const RUN_BEGINS = `logs.num IN (
  SELECT log FROM runs WHERE ${beginsIn("session_id", "")} OR ${beginsIn("session_id", "sess_")}
  UNION SELECT num FROM logs AS begun WHERE ${beginsIn("log_id", "")} OR ${beginsIn("log_id", "log_")})`;

const CONTENT_BEFORE =
  "logs.num IN (SELECT data_keys.log FROM data_keys WHERE wrapped IS NOT NULL AND day < ?)";

/** Logs after one in the order of a list. Those of its very time come again if it is gone: none is left out. */
const OLDER =
  "(logs.updated_at, logs.num) < (?, coalesce((SELECT num FROM logs AS known WHERE known.log_id = ?), 9223372036854775807))";

/** The titles of a log, sealed. Few logs have a key that was destroyed, and an index knows those. */
const TITLES = `logs.key_id, names.content AS name, names.key_id AS name_key, names.ts AS name_ts,
    CASE WHEN NOT EXISTS (SELECT 1 FROM data_keys INDEXED BY expired_keys
      WHERE data_keys.log = logs.num AND wrapped IS NULL AND data_keys.key_id = logs.key_id) THEN title END AS title`;

const NEWEST_RUN =
  "(SELECT session_id FROM runs WHERE runs.log = logs.num ORDER BY runs.num DESC LIMIT 1) AS session";

const LOG_TABLES = `
  FROM logs LEFT JOIN leases ON leases.log = logs.num
  LEFT JOIN notes AS names ON names.log = logs.num AND names.kind = 'title' AND names.reader = ''
    AND NOT EXISTS (SELECT 1 FROM data_keys WHERE data_keys.key_id = names.key_id AND wrapped IS NULL)`;

const NAME_ROW = `
  SELECT logs.num, logs.log_id, working_dir, updated_at, turn_open, ${TITLES}, ${NEWEST_RUN},
    leases.pid, leases.process_start, leases.epoch AS lease_epoch
  ${LOG_TABLES}`;

const LOG_ROW = `
  SELECT logs.num, logs.log_id, logs.commits, logs.chain, logs.reserved, working_dir, profile, model, effort, created_at, updated_at, turns, pinned, turn_open, archived,
    usd, unpriced_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, turns_ended, context_tokens,
    plan_mode, branch_of, branch_at, ${TITLES}, ${NEWEST_RUN},
    ${LAST_EVENT} AS last_event,
    (SELECT day FROM data_keys WHERE data_keys.log = logs.num AND wrapped IS NOT NULL ORDER BY day LIMIT 1) AS oldest_day,
    leases.pid, leases.process_start, leases.epoch AS lease_epoch
  ${LOG_TABLES}`;
