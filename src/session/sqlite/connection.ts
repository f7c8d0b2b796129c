import type { SQLQueryBindings, Statement } from "bun:sqlite";
import { constants, Database } from "bun:sqlite";
import { statSync } from "node:fs";
import type { Durability } from "../store/store.ts";
import { storeFailure } from "./failure.ts";

/**
 * Wait for another process's transaction in code that may block the thread: `cinch doctor` and `cinch creds rotate`,
 * which do nothing else meanwhile. All other code passes 0 and waits by `whenFree`; test/tidy.test.ts checks that.
 */
export const BLOCKING_MS_MAX = 5_000;
/** Pages of the write-ahead log after which SQLite writes it back. */
const WAL_PAGES_MAX = 4_000;
/** The write-ahead log is truncated to this size after a checkpoint (R17). */
const WAL_BYTES_MAX = 64 * 1024 * 1024;

/** Level of SQLite's own syncs. */
type Synchronous = Durability | "nothing";

/** Without syncs nothing may be written back: a page of the file could be lost with the log that had it. */
const PRAGMAS: Readonly<Record<Synchronous, string>> = {
  nothing: "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0",
  process: `PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${WAL_PAGES_MAX}`,
  power: `PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${WAL_PAGES_MAX}`,
};

export type Value = string | number | bigint | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;

/**
 * One connection to the database file: statements are compiled at their first use and cached, and every failure is
 * a `HarnessError`.
 *
 * Integers come back as `bigint`, because beyond 2^53 they would be rounded silently.
 */
export class StoreConnection implements Disposable {
  readonly path: string;
  readonly #busyMs: number;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement<Row, SQLQueryBindings[]>>();
  #synchronous: Synchronous = "process";
  #hasWritten = false;

  private constructor(path: string, busyMs: number, database: Database) {
    this.path = path;
    this.#busyMs = busyMs;
    this.#database = database;
  }

  /**
   * Opens a database file that exists.
   *
   * @throws StoreUnwritable if it does not exist or may not be opened.
   */
  static open(path: string, busyMs: number): StoreConnection {
    return StoreConnection.#set(path, busyMs, () => new Database(path, { readwrite: true, create: false }));
  }

  /** Opens a file for reading: nothing of it changes, and its write-ahead log stays. */
  static openToRead(path: string, busyMs: number): StoreConnection {
    return StoreConnection.#set(path, busyMs, () => new Database(path, { readonly: true }));
  }

  /**
   * Opens a file on a read-only medium, where even the files that readers share cannot be created. Correct only while
   * nobody writes to it, and blind to a write-ahead log.
   */
  static openFrozen(path: string, busyMs: number): StoreConnection {
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
    return StoreConnection.#set(
      path,
      busyMs,
      () => new Database(`${Bun.pathToFileURL(path).href}?immutable=1`, flags),
    );
  }

  static #set(path: string, busyMs: number, open: () => Database): StoreConnection {
    const database = attempt(path, open);
    const connection = new StoreConnection(path, busyMs, database);
    try {
      connection.execute(
        `PRAGMA busy_timeout = ${busyMs}; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
         ${PRAGMAS.process}; PRAGMA journal_size_limit = ${WAL_BYTES_MAX}`,
      );
      return connection;
    } catch (thrown) {
      connection[Symbol.dispose]();
      throw thrown;
    }
  }

  /** Runs statements without values and results. */
  execute(sql: string): void {
    attempt(this.path, () => this.#database.run(sql));
  }

  all(sql: string, ...values: Value[]): Row[] {
    return attempt(this.path, () => this.#statement(sql).all(...values));
  }

  first(sql: string, ...values: Value[]): Row | undefined {
    return attempt(this.path, () => this.#statement(sql).get(...values)) ?? undefined;
  }

  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...values: Value[]): { readonly changes: number; readonly rowid: number } {
    const { changes, lastInsertRowid } = attempt(this.path, () => this.#statement(sql).run(...values));
    return { changes, rowid: Number(lastInsertRowid) };
  }

  /** Runs the work in one transaction that holds the write lock from its start: all of it or nothing. */
  transaction<Result>(durability: Durability, work: () => Result): Result {
    const isFirst = !this.#hasWritten;
    this.#hasWritten = true;
    if (isFirst && durability === "process" && this.#isLogEmpty()) {
      const done = this.#inEmptyLog(work);
      if (done !== undefined) return done.result;
    }
    this.#keep(durability);
    this.run("BEGIN IMMEDIATE");
    return this.#end(work);
  }

  /**
   * SQLite syncs the header of a write-ahead log on this thread, lest old frames count again after a loss of power. A
   * log without any frame has no old ones, so the first transaction in one is not synced: `WalSync` does that. Syncs
   * are on again when this returns or throws: without them a checkpoint, even that of closing, could lose the store.
   *
   * Returns undefined, with nothing done, if another process has written to the log meanwhile.
   */
  #inEmptyLog<Result>(work: () => Result): { readonly result: Result } | undefined {
    this.#keep("nothing");
    try {
      this.run("BEGIN IMMEDIATE");
      if (this.#isLogEmpty()) return { result: this.#end(work) };
      this.run("ROLLBACK");
      return undefined;
    } finally {
      this.#keep("process");
    }
  }

  /** Runs the work, then ends the transaction that has begun. */
  #end<Result>(work: () => Result): Result {
    try {
      const result = work();
      this.run("COMMIT");
      return result;
    } catch (thrown) {
      // SQLite has rolled back by itself after some failures (disk full, I/O).
      if (this.#database.inTransaction) this.run("ROLLBACK");
      throw thrown;
    }
  }

  #isLogEmpty(): boolean {
    return sizeOf(`${this.path}-wal`) === 0;
  }

  /** Returns the bytes of the file and of its write-ahead log on the disk. */
  sizes(): { readonly file: number; readonly log: number } {
    return { file: sizeOf(this.path) ?? 0, log: sizeOf(`${this.path}-wal`) ?? 0 };
  }

  /** Runs reads that belong together, on the state of the file at the first of them. */
  snapshot<Result>(work: () => Result): Result {
    if (this.#database.inTransaction) return work();
    this.run("BEGIN");
    try {
      return work();
    } finally {
      if (this.#database.inTransaction) this.run("COMMIT");
    }
  }

  /**
   * Runs a transaction around work that waits, safe from power loss at its end. `lock` answers StoreBusy at once while
   * another process has the lock: `whenFree` tries it again, without holding up this one.
   */
  async exclusively(whenFree: (lock: () => void) => Promise<void>, work: () => Promise<void>): Promise<void> {
    this.#keep("power");
    this.execute("PRAGMA busy_timeout = 0");
    try {
      await whenFree(() => this.run("BEGIN IMMEDIATE"));
      await work();
      this.run("COMMIT");
    } finally {
      if (this.#database.inTransaction) this.run("ROLLBACK");
      this.execute(`PRAGMA busy_timeout = ${this.#busyMs}`);
    }
  }

  [Symbol.dispose](): void {
    // A connection with live statements stays half open, and keeps its write-ahead log.
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#database.close();
  }

  #keep(synchronous: Synchronous): void {
    if (synchronous === this.#synchronous) return;
    this.execute(PRAGMAS[synchronous]);
    this.#synchronous = synchronous;
  }

  #statement(sql: string): Statement<Row, SQLQueryBindings[]> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const compiled = this.#database.prepare<Row, SQLQueryBindings[]>(sql).safeIntegers(true);
    this.#statements.set(sql, compiled);
    return compiled;
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw storeFailure(thrown, path);
  }
}
