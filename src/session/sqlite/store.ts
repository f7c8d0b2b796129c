import { assert } from "../../base/assert.ts";
import type { CacheBudget } from "../../base/cache-budget.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EventKind, PayloadOf } from "../../protocol/events/events.ts";
import { dayOf } from "../store/log-facts.ts";
import type { SessionNotes } from "../store/notes/notes.ts";
import type {
  Durability,
  EventRange,
  Holder,
  Intent,
  LogInfo,
  LogName,
  LogQuery,
  Loss,
  MaintenanceResult,
  NewLog,
  RemoveBeside,
  SessionStore,
  SessionWriter,
  StoredMessage,
  StoreFinding,
} from "../store/store.ts";
import { checkStore } from "./check/check.ts";
import type { FoundLoss } from "./check/losses.ts";
import { findLosses, markShown, NEWEST_HEADS } from "./check/losses.ts";
import type { Row, StoreConnection } from "./connection.ts";
import { DataKeys, WriterSeal } from "./keys/data-keys.ts";
import { takeLease } from "./lease.ts";
import { LogReader, readKinds } from "./log-reader.ts";
import { LogTable } from "./log-table.ts";
import { sqliteNotes } from "./notes/sqlite-notes.ts";
import { TitleCache } from "./notes/title-cache.ts";
import { expiredRanges, expireLog } from "./retention/expiry.ts";
import { maintain } from "./retention/maintain.ts";
import { forgetLog, removeLogRow, removeRows } from "./retention/removal.ts";
import { RowReader } from "./rows.ts";
import { forgetInBackups } from "./schema/backups.ts";
import { SearchOnDemand } from "./search/search-on-demand.ts";
import type { HeadFile } from "./wal/head-file.ts";
import { bootOf, headsOf } from "./wal/head-file.ts";
import { removeKeptWal } from "./wal/kept-wal.ts";
import { keepReserve, spendReserve } from "./wal/reserve.ts";
import type { SyncFile } from "./wal/wal-sync.ts";
import { WalSync } from "./wal/wal-sync.ts";
import type { WhenFree } from "./when-free.ts";
import { BUSY_MS_MAX, openWhenFree, truncateLog } from "./when-free.ts";
import type { LeasedLog, LogRows } from "./writer.ts";
import { SqliteWriter } from "./writer.ts";

export interface SqliteStoreDependencies {
  readonly world: World;
  readonly logKey: Uint8Array;
  /** Total wait for a lock of another process. */
  readonly busyMs?: number | undefined;
  /** Syncs the write-ahead log. Default: `fdatasync`. */
  readonly syncFile?: SyncFile | undefined;
  /** Opens the file for writing, if `connection` only reads it. */
  readonly reopen?: (() => StoreConnection) | undefined;
  /** Caches for opened titles. Absent: they are opened again. */
  readonly caches?: Pick<CacheBudget, "open"> | undefined;
}

/** Total wait for a lock when the store is closed. A lease that is not released by then ends with this process. */
export const GIVE_BACK_MS_MAX = 2_000;

/** The session store in one SQLite file; `open.ts` opens it. */
export class SqliteStore implements SessionStore {
  readonly #world: World;
  readonly #logKey: Uint8Array;
  readonly #reopen: (() => StoreConnection) | undefined;
  readonly #writers = new Set<SqliteWriter>();
  /** Writers of new logs that have no rows yet. */
  readonly #unwritten = new Set<SqliteWriter>();
  readonly #closing = new AbortController();
  readonly #whenFree: WhenFree;
  readonly #heads: HeadFile;
  readonly #walSync: WalSync;
  readonly #titles: TitleCache | undefined;
  readonly notes: SessionNotes;
  #connection: StoreConnection;
  #keys: DataKeys;
  #rows: RowReader;
  #reading: LogReader;
  #logs: LogTable;
  #disposed = false;
  readonly search: SearchOnDemand;

  constructor(
    connection: StoreConnection,
    { world, logKey, busyMs = BUSY_MS_MAX, syncFile, reopen, caches }: SqliteStoreDependencies,
  ) {
    this.#world = world;
    this.#logKey = logKey;
    this.#reopen = reopen;
    this.#heads = headsOf(connection, world);
    this.#walSync = new WalSync(connection.path, world.machine, syncFile);
    this.#whenFree = openWhenFree({ clock: world.clock, msMax: busyMs, signal: this.#closing.signal });
    this.#connection = connection;
    this.#keys = new DataKeys(connection, logKey, (count) => world.random.bytes(count));
    this.#titles = caches === undefined ? undefined : new TitleCache(caches);
    this.#rows = new RowReader(connection.path, this.#keys, this.#titles);
    this.#reading = new LogReader(connection, this.#rows);
    this.#logs = new LogTable(connection, this.#rows, world.machine);
    this.notes = sqliteNotes({
      connection: () => this.#connection,
      rows: () => this.#rows,
      logNumber: (logId) => this.#reading.logNumber(logId),
      sealOf: (log, logId) => this.#sealOf(log, logId),
      read: (work) => this.#asked(work),
      change: (durability, work) => this.#change(durability, work),
    });
    this.search = new SearchOnDemand({
      world,
      whenFree: (work) => this.#asked(work),
      parts: () => ({
        connection: this.#connection,
        keys: this.#keys,
        reading: this.#reading,
        logs: this.#logs,
      }),
      signal: this.#closing.signal,
    });
  }

  /** The rows of a new log are written with its first batch, or before anything else is asked of this store. */
  async create(log: NewLog, holder: Holder): Promise<SessionWriter> {
    await this.#asked(() => this.#assertNew(log));
    const writer = this.#writer(log.logId, log.session, {
      rows: () => this.#addLog(log, holder),
      epoch: 1,
      commits: 0,
      chain: new Uint8Array(),
      lastEvent: 0,
      reserved: 0,
      turns: 0,
      inherited: log.branchOf?.at ?? 0,
      onAdded: () => this.#unwritten.delete(writer),
    });
    this.#unwritten.add(writer);
    if (this.#reopen === undefined) return writer;
    try {
      await this.#whenFree(() => writer.begin()); // a file that can only be read says so now
    } catch (thrown) {
      this.#unwritten.delete(writer);
      this.#writers.delete(writer);
      throw thrown;
    }
    return writer;
  }

  #assertNew({ logId, session }: NewLog): void {
    const log = this.#connection.first("SELECT num FROM logs WHERE log_id = ?", logId);
    assert(log === undefined, `the log ${logId} is new`);
    const run = this.#connection.first("SELECT num FROM runs WHERE session_id = ?", session);
    assert(run === undefined, `the session id ${session} of a run is new`);
  }

  /** Adds the rows of a new log, inside a transaction. */
  #addLog(log: NewLog, holder: Holder): LogRows {
    const num = this.#logs.add(log);
    const run = this.#addRun(num, log.session, log.createdAt);
    takeLease(this.#connection, { log: num, run, holder });
    return { log: num, run, seal: this.#sealOf(num, log.logId) };
  }

  #sealOf(log: number, logId: LogId): WriterSeal {
    return new WriterSeal(this.#keys, { log, logId }, () => this.#today());
  }

  async open(
    logId: LogId,
    session: SessionId,
    holder: Holder,
    now?: Pick<NewLog, "profile" | "model">,
  ): Promise<SessionWriter> {
    const lease = await this.#change("process", () => {
      const row = this.#logs.find(logId);
      if (row === undefined) throw new HarnessError("SessionMissing", { id: logId });
      const living = this.#logs.holderOf(row);
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      const log = this.#rows.integer(row, "num", logId);
      const run = this.#addRun(log, session, new Date(this.#world.clock.now()).toISOString());
      if (now !== undefined) {
        const { profile, model } = now;
        this.#connection.run("UPDATE logs SET profile = ?, model = ? WHERE num = ?", profile, model, log);
      }
      return {
        rows: { log, run, seal: this.#sealOf(log, logId) },
        epoch: takeLease(this.#connection, { log, run, holder }),
        lastEvent: this.#rows.integer(row, "last_event", logId),
        reserved: this.#rows.integer(row, "reserved", logId),
        turns: this.#rows.integer(row, "turns", logId),
        commits: this.#rows.integer(row, "commits", logId),
        chain: row["chain"] instanceof Uint8Array ? row["chain"] : new Uint8Array(),
        inherited: 0, // a branch that can be opened has all that it inherits
        onAdded: () => undefined,
      };
    });
    return this.#writer(logId, session, lease);
  }

  async find(id: LogId | SessionId): Promise<LogInfo | undefined> {
    const row = await this.#asked(() => this.#logs.find(id));
    return row === undefined ? undefined : this.#logs.infoOf(row);
  }

  async list(query: LogQuery): Promise<readonly LogInfo[]> {
    const rows = await this.#asked(() => this.#logs.list(query));
    return rows.map((row) => this.#logs.infoOf(row));
  }

  async names(query: LogQuery): Promise<readonly LogName[]> {
    const rows = await this.#asked(() => this.#logs.names(query));
    return rows.map((row) => this.#logs.nameOf(row));
  }

  async events(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]> {
    return this.#asked(() => this.#reading.events(logId, since, limit));
  }

  async markedEvents(
    logId: LogId,
    since: EventSeq,
    limit: number,
    kinds?: readonly EventKind[],
  ): Promise<readonly Envelope[]> {
    if (kinds === undefined) return this.#asked(() => this.#reading.markedEvents(logId, { since, limit }));
    const slice: Parameters<typeof readKinds>[0] = (wanted) =>
      this.#asked(() => this.#reading.markedKinds(logId, wanted));
    return readKinds(slice, { since, limit, kinds }, this.#world.clock);
  }

  async eventsBefore(logId: LogId, before: EventSeq, limit: number): Promise<readonly Envelope[]> {
    return this.#asked(() => this.#reading.eventsBefore(logId, before, limit));
  }

  async messages(logId: LogId): Promise<readonly StoredMessage[]> {
    return this.#asked(() => this.#reading.messages(logId));
  }

  async messagesAt(logId: LogId, at: EventSeq): Promise<readonly StoredMessage[]> {
    return this.#asked(() => this.#reading.messagesAt(logId, at));
  }

  async orphans(logId: LogId): Promise<readonly Intent[]> {
    return this.#asked(() => this.#reading.orphans(logId));
  }

  async costs(logId: LogId, since: EventSeq): Promise<readonly PayloadOf<"CostIncremented">[]> {
    return this.#asked(() => this.#reading.costs(logId, since));
  }

  async expired(logId: LogId): Promise<readonly EventRange[]> {
    return this.#asked(() => expiredRanges(this.#connection, this.#reading.logNumber(logId)));
  }

  async lastDay(beforeDay: string): Promise<string | undefined> {
    const newest = await this.#asked(() =>
      this.#connection.first(
        "SELECT day FROM data_keys WHERE wrapped IS NOT NULL AND day < ? ORDER BY day DESC LIMIT 1",
        beforeDay,
      ),
    );
    return newest === undefined ? undefined : this.#rows.text(newest, "day", "a key");
  }

  async losses(which: "all" | "untold"): Promise<readonly Loss[]> {
    const found = await this.#losses(which === "all" ? {} : { newest: NEWEST_HEADS });
    return found.filter(({ head }) => which === "all" || !head.isReported).map(({ loss }) => loss);
  }

  async lossesTold(losses: readonly Loss[]): Promise<void> {
    if (losses.length === 0) return;
    const reported = new Set(losses.map(({ logId }) => logId));
    // A log that has continued since has a new head, which must not count as reported.
    const found = await this.#losses({ newest: NEWEST_HEADS });
    const shown = found.filter(({ loss }) => reported.has(loss.logId));
    markShown(this.#heads, shown);
  }

  #losses(bound: { readonly newest?: number }): Promise<readonly FoundLoss[]> {
    const [connection, heads, boot] = [this.#connection, this.#heads, bootOf(this.#world.machine)];
    return this.#asked(() => findLosses({ connection, heads, boot, ...bound }));
  }

  async pin(logId: LogId, pinned: boolean): Promise<void> {
    await this.#change("power", () => {
      const log = this.#reading.logNumber(logId);
      this.#connection.run("UPDATE logs SET pinned = ? WHERE num = ?", pinned ? 1 : 0, log);
    });
  }

  async expire(logId: LogId, beforeDay: string): Promise<number> {
    const { events, keysDestroyed } = await this.#change("power", () => {
      const row = this.#logs.mustFind(logId);
      if (row["pinned"] === 1n) return { events: 0, keysDestroyed: 0 };
      const log = this.#rows.integer(row, "num", logId);
      const isHeld = this.#logs.holderOf(row) !== undefined;
      return expireLog(this.#connection, this.#keys, { log, logId, beforeDay, isHeld });
    });
    if (keysDestroyed > 0) await this.#forget();
    return events;
  }

  async delete(logId: LogId, beside?: RemoveBeside): Promise<void> {
    let isTight = false;
    /** On a full disk the room of the reserve is used: deleting makes room. */
    const withRoom = async <Result>(work: () => Promise<Result> | Result): Promise<Result> => {
      try {
        return await work();
      } catch (thrown) {
        if (isTight || !hasReason(thrown, "StoreUnwritable") || !(await this.#spendReserve())) throw thrown;
        isTight = true;
        return await work();
      }
    };
    const log = await withRoom(() => this.#forgetLog(logId));
    await withRoom(() => this.#forget());
    await beside?.(logId);
    const { signal } = new AbortController();
    const removal = { world: this.#world, whenFree: this.#whenFree, signal };
    await withRoom(() => removeRows(this.#connection, log, { ...removal, isTight }));
    // Until then the file itself has the rows still.
    const writeBack = () =>
      truncateLog(this.#connection, { clock: this.#world.clock, signal: this.#closing.signal });
    await withRoom(writeBack);
    await withRoom(() => removeLogRow(this.#connection, log, removal));
    await withRoom(writeBack);
    if (isTight) await keepReserve(this.#connection.path, this.#world);
  }

  #forgetLog(logId: LogId): Promise<number> {
    return this.#change("power", () => {
      const row = this.#logs.mustFind(logId);
      // A log whose lease is damaged can be deleted: a process that still writes it learns that it has lost it.
      const living = this.#logs.holderOr(row, "nobody");
      if (typeof living === "object") throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      const num = this.#rows.integer(row, "num", logId);
      this.#heads.clear(num); // before its rows: a head whose log is missing means damage
      forgetLog(this.#connection, num);
      return num;
    });
  }

  /** Frees the room of the reserve, and reopens a file for writing that could only be read on a full disk. */
  async #spendReserve(): Promise<boolean> {
    if (!(await spendReserve(this.#connection.path, this.#world))) return false;
    if (this.#reopen === undefined) return true;
    const connection = this.#reopen();
    this.#connection[Symbol.dispose]();
    this.#connection = connection;
    this.#keys = new DataKeys(connection, this.#logKey, (count) => this.#world.random.bytes(count));
    this.#rows = new RowReader(connection.path, this.#keys, this.#titles);
    this.#reading = new LogReader(connection, this.#rows);
    this.#logs = new LogTable(connection, this.#rows, this.#world.machine);
    return true;
  }

  async maintain(signal: AbortSignal, beside?: RemoveBeside): Promise<MaintenanceResult> {
    // A branch whose lease cannot be read may be one that is being made.
    const isAlive = (row: Row) => this.#logs.holderOr(row, "somebody") !== "nobody";
    const maintenance = {
      ...{ world: this.#world, whenFree: this.#whenFree, heads: this.#heads, signal, isAlive },
      ...defined({ beside }),
      forget: () => this.#forget(),
    };
    // The maintenance writes the log back to the file, with what the index has added.
    await this.search.keepUp(signal);
    return maintain(this.#connection, maintenance);
  }

  check(depth: "quick" | "full", signal: AbortSignal): AsyncIterable<StoreFinding> {
    const checking = { depth, signal, world: this.#world, heads: this.#heads };
    return checkStore(this.#connection, this.#rows, checking);
  }

  /** Releases the leases that are still held, then closes the file. Waits at most 2 s for another process's lock. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const close = () =>
      this.#closing.abort(new HarnessError("StoreBusy", { path: this.#connection.path, detail: CLOSED }));
    {
      using _limit = this.#world.clock.timer(GIVE_BACK_MS_MAX, close);
      await Promise.all([...this.#writers].map((writer) => writer[Symbol.asyncDispose]()));
    }
    close();
    await this.search.ended();
    this.#heads[Symbol.dispose]();
    this.#walSync[Symbol.dispose]();
    this.#connection[Symbol.dispose]();
  }

  /** Removes all traces of destroyed keys from memory, the write-ahead log and copies. */
  async #forget(): Promise<void> {
    this.#keys.forget();
    this.#titles?.forget();
    await this.#asked(() => forgetInBackups(this.#connection, this.#world));
    await removeKeptWal(this.#connection.path, this.#world);
    await truncateLog(this.#connection, { clock: this.#world.clock, signal: this.#closing.signal });
  }

  /** Runs the work once no other process has the file locked, with the new logs in the file unless it is locked now. */
  #asked<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    for (const writer of this.#unwritten) {
      try {
        writer.begin();
      } catch (thrown) {
        // The first batch of its writer meets the same problem, or waits for the lock: who only reads waits for nobody.
        if (!(thrown instanceof HarnessError)) throw thrown;
      }
    }
    return this.#whenFree(work);
  }

  /** Runs the work in one such transaction. */
  #change<Result>(durability: Durability, work: () => Result): Promise<Result> {
    return this.#asked(() => {
      // After a failed sync, a sync by SQLite would succeed without the lost page.
      if (durability === "power") this.#walSync.open();
      return this.#connection.transaction(durability, work);
    });
  }

  #writer(
    logId: LogId,
    session: SessionId,
    lease: Omit<LeasedLog, "logId" | "session" | "whenFree" | "walSync" | "putHead" | "onEnd">,
  ): SqliteWriter {
    const boot = bootOf(this.#world.machine);
    const writer = new SqliteWriter(this.#connection, {
      ...lease,
      logId,
      session,
      whenFree: this.#whenFree,
      walSync: this.#walSync,
      putHead: (log, head) =>
        this.#heads.write(log, {
          ...head,
          logId,
          boot,
          atMs: this.#world.clock.now(),
          isReported: false,
        }),
      onEnd: (failure) => {
        this.#writers.delete(writer);
        this.#unwritten.delete(writer);
        if (failure === undefined) return;
        // The lease ends with this process anyway: the next process sees that its holder is gone.
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
    return dayOf(new Date(this.#world.clock.now()).toISOString());
  }

  #addRun(log: number, session: SessionId, openedAt: string): number {
    const known = this.#connection.first("SELECT num FROM runs WHERE session_id = ?", session);
    assert(known === undefined, `the session id ${session} of a run is new`);
    const insert = "INSERT INTO runs (log, session_id, opened_at) VALUES (?, ?, ?)";
    return this.#connection.run(insert, log, session, openedAt).rowid;
  }
}

const CLOSED = "it was closed while a request waited for it";
