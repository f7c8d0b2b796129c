import { assert } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError, messageOf } from "../../base/errors.ts";
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
import { WriterSeal } from "./keys/data-keys.ts";
import { takeLease } from "./lease.ts";
import { sqliteNotes } from "./notes/sqlite-notes.ts";
import { LoopShare } from "./reading/loop-share.ts";
import { PacedReader } from "./reading/paced-reader.ts";
import { expiredRanges } from "./retention/expiry.ts";
import { LogEraser } from "./retention/log-eraser.ts";
import { maintain } from "./retention/maintain.ts";
import { SearchOnDemand } from "./search/search-on-demand.ts";
import type { StoreFileOptions } from "./store-file.ts";
import { StoreFile } from "./store-file.ts";
import type { HeadFile } from "./wal/head-file.ts";
import { bootOf, headsOf } from "./wal/head-file.ts";
import type { SyncFile } from "./wal/wal-sync.ts";
import { WalSync } from "./wal/wal-sync.ts";
import type { WhenFree } from "./when-free.ts";
import { BUSY_MS_MAX, openWhenFree } from "./when-free.ts";
import type { LeasedLog, LogRows } from "./writer.ts";
import { SqliteWriter } from "./writer.ts";

export interface SqliteStoreDependencies extends StoreFileOptions {
  /** Total wait for a lock of another process. */
  readonly busyMs?: number | undefined;
  /** Syncs the write-ahead log. Default: `fdatasync`. */
  readonly syncFile?: SyncFile | undefined;
  /** Opens the file for writing, if `connection` only reads it. */
  readonly reopen?: (() => StoreConnection) | undefined;
}

/** Total wait for a lock when the store is closed. A lease that is not released by then ends with this process. */
export const GIVE_BACK_MS_MAX = 2_000;

/** The session store in one SQLite file; `open.ts` opens it. */
export class SqliteStore implements SessionStore {
  readonly #world: World;
  readonly #file: StoreFile;
  readonly #canWrite: boolean;
  readonly #writers = new Set<SqliteWriter>();
  /** Writers of new logs that have no rows yet. */
  readonly #unwritten = new Set<SqliteWriter>();
  readonly #closing = new AbortController();
  readonly #whenFree: WhenFree;
  readonly #heads: HeadFile;
  readonly #walSync: WalSync;
  readonly #reader: PacedReader;
  readonly #eraser: LogEraser;
  readonly notes: SessionNotes;
  #disposed = false;
  readonly search: SearchOnDemand;

  constructor(
    connection: StoreConnection,
    { world, logKey, busyMs = BUSY_MS_MAX, syncFile, reopen, caches }: SqliteStoreDependencies,
  ) {
    this.#world = world;
    this.#file = new StoreFile(connection, { world, logKey, caches });
    this.#canWrite = reopen === undefined;
    this.#heads = headsOf(connection, world);
    this.#walSync = new WalSync(connection.path, world.machine, syncFile);
    this.#whenFree = openWhenFree({ clock: world.clock, msMax: busyMs, signal: this.#closing.signal });
    this.#reader = new PacedReader({
      file: this.#file,
      asked: (work) => this.#asked(work),
      share: new LoopShare(world.clock),
      now: () => world.clock.monotonic(),
    });
    this.#eraser = new LogEraser({
      ...{ world, file: this.#file, heads: this.#heads, whenFree: this.#whenFree, reopen },
      asked: (work) => this.#asked(work),
      change: (durability, work) => this.#change(durability, work),
      signal: this.#closing.signal,
    });
    this.notes = sqliteNotes({
      connection: () => this.#file.connection,
      rows: () => this.#file.rows,
      logNumber: (logId) => this.#file.reading.logNumber(logId),
      sealOf: (log, logId) => this.#sealOf(log, logId),
      read: (work) => this.#asked(work),
      change: (durability, work) => this.#change(durability, work),
    });
    this.search = new SearchOnDemand({
      world,
      whenFree: (work) => this.#asked(work),
      parts: () => this.#file,
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
    if (this.#canWrite) return writer;
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
    const log = this.#file.connection.first("SELECT num FROM logs WHERE log_id = ?", logId);
    assert(log === undefined, `the log ${logId} is new`);
    const run = this.#file.connection.first("SELECT num FROM runs WHERE session_id = ?", session);
    assert(run === undefined, `the session id ${session} of a run is new`);
  }

  /** Adds the rows of a new log, inside a transaction. */
  #addLog(log: NewLog, holder: Holder): LogRows {
    const num = this.#file.logs.add(log);
    const run = this.#addRun(num, log.session, log.createdAt);
    takeLease(this.#file.connection, { log: num, run, holder });
    return { log: num, run, seal: this.#sealOf(num, log.logId) };
  }

  #sealOf(log: number, logId: LogId): WriterSeal {
    return new WriterSeal(this.#file.keys, { log, logId }, () => this.#today());
  }

  async open(
    logId: LogId,
    session: SessionId,
    holder: Holder,
    now?: Pick<NewLog, "profile" | "model">,
  ): Promise<SessionWriter> {
    const lease = await this.#change("process", () => {
      const row = this.#file.logs.find(logId);
      if (row === undefined) throw new HarnessError("SessionMissing", { id: logId });
      const living = this.#file.logs.holderOf(row);
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      const log = this.#file.rows.integer(row, "num", logId);
      const run = this.#addRun(log, session, new Date(this.#world.clock.now()).toISOString());
      if (now !== undefined) {
        const { profile, model } = now;
        this.#file.connection.run(
          "UPDATE logs SET profile = ?, model = ? WHERE num = ?",
          profile,
          model,
          log,
        );
      }
      return {
        rows: { log, run, seal: this.#sealOf(log, logId) },
        epoch: takeLease(this.#file.connection, { log, run, holder }),
        lastEvent: this.#file.rows.integer(row, "last_event", logId),
        reserved: this.#file.rows.integer(row, "reserved", logId),
        turns: this.#file.rows.integer(row, "turns", logId),
        commits: this.#file.rows.integer(row, "commits", logId),
        chain: row["chain"] instanceof Uint8Array ? row["chain"] : new Uint8Array(),
        inherited: 0, // a branch that can be opened has all that it inherits
        onAdded: () => undefined,
      };
    });
    return this.#writer(logId, session, lease);
  }

  async find(id: LogId | SessionId): Promise<LogInfo | undefined> {
    return await this.#reader.find(id);
  }

  async list(query: LogQuery): Promise<readonly LogInfo[]> {
    return await this.#reader.list(query);
  }

  async names(query: LogQuery): Promise<readonly LogName[]> {
    return await this.#reader.names(query);
  }

  async events(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]> {
    return await this.#reader.events(logId, since, limit);
  }

  async markedEvents(
    logId: LogId,
    since: EventSeq,
    limit: number,
    kinds?: readonly EventKind[],
  ): Promise<readonly Envelope[]> {
    if (kinds === undefined) return await this.#reader.markedEvents(logId, since, limit);
    return await this.#reader.markedKinds(logId, { since, limit, kinds });
  }

  async eventsBefore(logId: LogId, before: EventSeq, limit: number): Promise<readonly Envelope[]> {
    return await this.#reader.eventsBefore(logId, before, limit);
  }

  async messages(logId: LogId): Promise<readonly StoredMessage[]> {
    return this.#asked(() => this.#file.reading.messages(logId));
  }

  async messagesAt(logId: LogId, at: EventSeq): Promise<readonly StoredMessage[]> {
    return this.#asked(() => this.#file.reading.messagesAt(logId, at));
  }

  async orphans(logId: LogId): Promise<readonly Intent[]> {
    return this.#asked(() => this.#file.reading.orphans(logId));
  }

  async costs(logId: LogId, since: EventSeq): Promise<readonly PayloadOf<"CostIncremented">[]> {
    return this.#asked(() => this.#file.reading.costs(logId, since));
  }

  async expired(logId: LogId): Promise<readonly EventRange[]> {
    return this.#asked(() => expiredRanges(this.#file.connection, this.#file.reading.logNumber(logId)));
  }

  async lastDay(beforeDay: string): Promise<string | undefined> {
    return await this.#asked(() => this.#file.logs.lastDay(beforeDay));
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
    const [connection, heads, boot] = [this.#file.connection, this.#heads, bootOf(this.#world.machine)];
    return this.#asked(() => findLosses({ connection, heads, boot, ...bound }));
  }

  async pin(logId: LogId, pinned: boolean): Promise<void> {
    await this.#change("power", () => {
      const log = this.#file.reading.logNumber(logId);
      this.#file.connection.run("UPDATE logs SET pinned = ? WHERE num = ?", pinned ? 1 : 0, log);
    });
  }

  async expire(logId: LogId, beforeDay: string): Promise<number> {
    return await this.#eraser.expire(logId, beforeDay);
  }

  async delete(logId: LogId, beside?: RemoveBeside): Promise<void> {
    await this.#eraser.delete(logId, beside);
  }

  async maintain(signal: AbortSignal, beside?: RemoveBeside): Promise<MaintenanceResult> {
    // A branch whose lease cannot be read may be one that is being made.
    const isAlive = (row: Row) => this.#file.logs.holderOr(row, "somebody") !== "nobody";
    const maintenance = {
      ...{ world: this.#world, whenFree: this.#whenFree, heads: this.#heads, signal, isAlive },
      ...defined({ beside }),
      eraser: this.#eraser,
    };
    // The maintenance writes the log back to the file, with what the index has added.
    await this.search.keepUp(signal);
    return maintain(this.#file.connection, maintenance);
  }

  check(depth: "quick" | "full", signal: AbortSignal): AsyncIterable<StoreFinding> {
    const checking = { depth, signal, world: this.#world, heads: this.#heads };
    return checkStore(this.#file.connection, this.#file.rows, checking);
  }

  /** Releases the leases that are still held, then closes the file. Waits at most 2 s for another process's lock. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const close = () =>
      this.#closing.abort(
        new HarnessError("StoreBusy", { path: this.#file.connection.path, detail: CLOSED }),
      );
    {
      using _limit = this.#world.clock.timer(GIVE_BACK_MS_MAX, close);
      await Promise.all([...this.#writers].map((writer) => writer[Symbol.asyncDispose]()));
    }
    close();
    await this.search.ended();
    this.#heads[Symbol.dispose]();
    this.#walSync[Symbol.dispose]();
    this.#file[Symbol.dispose]();
  }

  /**
   * Runs the work once no other process has the file locked, with the new logs in the file and no lease that nobody
   * uses, unless the file cannot be written now.
   * @throws StoreBusy if this store was closed.
   */
  async #asked<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#closing.signal.throwIfAborted();
    for (const writer of this.#unwritten) {
      try {
        writer.begin();
      } catch (thrown) {
        // The first batch of its writer meets the same problem, or waits for the lock: who only reads waits for nobody.
        if (!(thrown instanceof HarnessError)) throw thrown;
      }
    }
    this.#giveBackLeases();
    return await this.#whenFree(work);
  }

  #giveBackLeases(): void {
    try {
      this.#file.unreturned.giveBack(this.#file.connection);
    } catch (thrown) {
      // Tried again with the next request. Until then this process counts them as free.
      if (!(thrown instanceof HarnessError)) throw thrown;
    }
  }

  /** Runs the work in one such transaction. */
  #change<Result>(durability: Durability, work: () => Result): Promise<Result> {
    return this.#asked(() => {
      // After a failed sync, a sync by SQLite would succeed without the lost page.
      if (durability === "power") this.#walSync.open();
      return this.#file.connection.transaction(durability, work);
    });
  }

  #writer(
    logId: LogId,
    session: SessionId,
    lease: Omit<LeasedLog, "logId" | "session" | "whenFree" | "walSync" | "putHead" | "onEnd">,
  ): SqliteWriter {
    const writer = new SqliteWriter(this.#file.connection, {
      ...lease,
      logId,
      session,
      whenFree: this.#whenFree,
      walSync: this.#walSync,
      putHead: (log, head) =>
        this.#heads.write(log, {
          ...head,
          logId,
          boot: bootOf(this.#world.machine),
          atMs: this.#world.clock.now(),
          isReported: false,
        }),
      onEnd: (failed) => {
        this.#writers.delete(writer);
        this.#unwritten.delete(writer);
        if (failed === undefined) return;
        const { failure, log } = failed;
        // A new log that is not in the file has no lease there.
        if (log !== undefined) this.#file.unreturned.add(log, writer.epoch);
        // If it cannot be given back later either, it ends with this process.
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
    const known = this.#file.connection.first("SELECT num FROM runs WHERE session_id = ?", session);
    assert(known === undefined, `the session id ${session} of a run is new`);
    const insert = "INSERT INTO runs (log, session_id, opened_at) VALUES (?, ?, ?)";
    return this.#file.connection.run(insert, log, session, openedAt).rowid;
  }
}

const CLOSED = "it was closed while a request waited for it";
