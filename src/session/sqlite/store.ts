import { assert } from "../../base/assert.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import type {
  Holder,
  Intent,
  LogInfo,
  LogQuery,
  NewLog,
  SessionStore,
  SessionWriter,
  StoredMessage,
} from "../store.ts";
import type { Connection, Row } from "./connection.ts";
import { DataKeys, WriterSeal } from "./data-keys.ts";
import { takeLease } from "./lease.ts";
import { RowReader } from "./rows.ts";
import { SqliteWriter } from "./writer.ts";

/** The session store in one SQLite file; `open.ts` opens it. */
export class SqliteStore implements SessionStore {
  readonly #connection: Connection;
  readonly #world: World;
  readonly #keys: DataKeys;
  readonly #rows: RowReader;
  readonly #writers = new Set<SqliteWriter>();
  #disposed = false;

  constructor(connection: Connection, world: World, logKey: Uint8Array) {
    this.#connection = connection;
    this.#world = world;
    this.#keys = new DataKeys(connection, logKey, (count) => world.random.bytes(count));
    this.#rows = new RowReader(connection.path, this.#keys);
  }

  async create(log: NewLog, holder: Holder): Promise<SessionWriter> {
    const held = this.#connection.transaction("process", () => {
      const known = this.#connection.first("SELECT num FROM logs WHERE log_id = ?", log.logId);
      assert(known === undefined, `the log ${log.logId} is new`);
      const { rowid } = this.#connection.run(
        `INSERT INTO logs (log_id, working_dir, profile, model, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?)`,
        log.logId,
        log.workingDir,
        log.profile,
        log.model,
        log.createdAt,
        log.createdAt,
      );
      const run = this.#addRun(rowid, log.session, log.createdAt);
      return { log: rowid, run, epoch: takeLease(this.#connection, { log: rowid, run, holder }) };
    });
    return this.#writer(log.logId, log.session, { ...held, lastEvent: 0, turns: 0 });
  }

  async open(logId: LogId, session: SessionId, holder: Holder): Promise<SessionWriter> {
    const held = this.#connection.transaction("process", () => {
      const row = this.#logRow("logs.log_id = ?", logId);
      if (row === undefined) throw new HarnessError("SessionMissing", { id: logId });
      const living = this.#holderOf(row);
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      const log = this.#rows.integer(row, "num", logId);
      const run = this.#addRun(log, session, new Date(this.#world.clock.now()).toISOString());
      return {
        log,
        run,
        epoch: takeLease(this.#connection, { log, run, holder }),
        lastEvent: this.#rows.integer(row, "last_event", logId),
        turns: this.#rows.integer(row, "turns", logId),
      };
    });
    return this.#writer(logId, session, held);
  }

  async find(id: LogId | SessionId): Promise<LogInfo | undefined> {
    const row = id.startsWith("log_")
      ? this.#logRow("logs.log_id = ?", id)
      : this.#logRow("logs.num = (SELECT log FROM runs WHERE session_id = ?)", id);
    return row === undefined ? undefined : this.#info(row);
  }

  async list(query: LogQuery): Promise<readonly LogInfo[]> {
    const newestFirst = "ORDER BY logs.updated_at DESC, logs.num DESC LIMIT ?";
    const rows =
      query.workingDir === undefined
        ? this.#connection.all(`${LOG_ROW} ${newestFirst}`, query.limit)
        : this.#connection.all(
            `${LOG_ROW} WHERE logs.working_dir = ? ${newestFirst}`,
            query.workingDir,
            query.limit,
          );
    return rows.map((row) => this.#info(row));
  }

  async events(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]> {
    const rows = this.#connection.all(
      `SELECT id, coalesce(events.session_id, runs.session_id) AS session, kind, ts, originator, parent_call,
              content, key_id
       FROM events JOIN runs ON runs.num = events.run
       WHERE events.log = (SELECT num FROM logs WHERE log_id = ?) AND id > ? AND ${NOT_EXPIRED}
       ORDER BY id LIMIT ?`,
      logId,
      since,
      limit,
    );
    if (rows.length === 0) this.#mustExist(logId);
    return rows.map((row) => this.#rows.event(logId, row));
  }

  async messages(logId: LogId): Promise<readonly StoredMessage[]> {
    const log = this.#mustExist(logId);
    const rows = this.#connection.all(
      `SELECT seq, after, turn, role, boundary, content, key_id FROM messages
       WHERE log = ?1 AND seq >= coalesce((SELECT max(seq) FROM messages WHERE log = ?1 AND boundary = 1), 0)
       AND ${NOT_EXPIRED} ORDER BY seq`,
      log,
    );
    return rows.map((row) => this.#rows.message(logId, row));
  }

  async orphans(logId: LogId): Promise<readonly Intent[]> {
    const log = this.#mustExist(logId);
    const rows = this.#connection.all(
      `SELECT call_id, tool_name, args_hash, is_mutating, started_at, summary, key_id FROM tool_call_intents
       WHERE log = ? AND call_id NOT IN (SELECT call_id FROM tool_call_outcomes) AND ${NOT_EXPIRED} ORDER BY started_at, call_id`,
      log,
    );
    return rows.map((row) => this.#rows.intent(logId, row));
  }

  /** Gives back the leases that are still held, then closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const writer of this.#writers) await writer[Symbol.asyncDispose]();
    this.#connection[Symbol.dispose]();
  }

  #writer(
    logId: LogId,
    session: SessionId,
    held: { log: number; run: number; epoch: number; lastEvent: number; turns: number },
  ): SessionWriter {
    const writer = new SqliteWriter(this.#connection, {
      ...held,
      logId,
      session,
      seal: new WriterSeal(this.#keys, { log: held.log, logId }, () => this.#today()),
      onEnd: (failure) => {
        this.#writers.delete(writer);
        if (failure === undefined) return;
        // The lease ends with this process anyway: whoever comes next sees that its holder is gone.
        this.#world.log.for("session.sqlite").write("warn", "a lease could not be given back", {
          logId,
          error: messageOf(failure),
        });
      },
    });
    this.#writers.add(writer);
    return writer;
  }

  #today(): string {
    return new Date(this.#world.clock.now()).toISOString().slice(0, "2026-03-01".length);
  }

  #addRun(log: number, session: SessionId, openedAt: string): number {
    const known = this.#connection.first("SELECT num FROM runs WHERE session_id = ?", session);
    assert(known === undefined, `the session id ${session} of a run is new`);
    const insert = "INSERT INTO runs (log, session_id, opened_at) VALUES (?, ?, ?)";
    return this.#connection.run(insert, log, session, openedAt).rowid;
  }

  #logRow(where: string, value: string): Row | undefined {
    return this.#connection.first(`${LOG_ROW} WHERE ${where}`, value);
  }

  #mustExist(logId: LogId): number {
    const row = this.#connection.first("SELECT num FROM logs WHERE log_id = ?", logId);
    if (row === undefined) throw new HarnessError("SessionMissing", { id: logId });
    return this.#rows.integer(row, "num", logId);
  }

  #info(row: Row): LogInfo {
    return this.#rows.log(row, this.#holderOf(row));
  }

  #holderOf(row: Row): Holder | undefined {
    if (row["pid"] === null) return undefined;
    const pid = this.#rows.integer(row, "pid", "a lease");
    const processStart = this.#rows.text(row, "process_start", "a lease");
    return this.#world.machine.isAlive(pid, processStart) ? { pid, processStart } : undefined;
  }
}

/** Rows whose key was destroyed are left out: there is nothing to read in them any more. */
const NOT_EXPIRED = `(key_id IS NULL OR key_id NOT IN (SELECT key_id FROM data_keys WHERE wrapped IS NULL))`;

const LOG_ROW = `
  SELECT logs.num, logs.log_id, working_dir, profile, model, created_at, updated_at, turns, key_id,
    CASE WHEN ${NOT_EXPIRED} THEN title END AS title,
    (SELECT session_id FROM runs WHERE runs.log = logs.num ORDER BY runs.num DESC LIMIT 1) AS session,
    (SELECT coalesce(max(id), 0) FROM events WHERE events.log = logs.num) AS last_event,
    leases.pid, leases.process_start
  FROM logs JOIN leases ON leases.log = logs.num`;
