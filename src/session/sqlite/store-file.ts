import type { CacheBudget } from "../../base/cache-budget.ts";
import type { World } from "../../base/world.ts";
import type { StoreConnection } from "./connection.ts";
import { DataKeys } from "./keys/data-keys.ts";
import { UnreturnedLeases } from "./lease.ts";
import { TitleCache } from "./notes/title-cache.ts";
import { LogReader } from "./reading/log-reader.ts";
import { LogTable } from "./reading/log-table.ts";
import { RowReader } from "./rows.ts";

export interface StoreFileOptions {
  readonly world: World;
  readonly logKey: Uint8Array;
  /** Caches for opened titles. Absent: they are opened again. */
  readonly caches?: Pick<CacheBudget, "open"> | undefined;
}

/** Everything that reads through one connection. */
interface OpenFile {
  readonly connection: StoreConnection;
  readonly keys: DataKeys;
  readonly rows: RowReader;
  readonly reading: LogReader;
  readonly logs: LogTable;
}

/**
 * The open file of a store, with its keys and its readers. If the file is opened again, all of them are replaced
 * together: none is left with a connection that was closed.
 */
export class StoreFile implements Disposable {
  readonly #world: World;
  readonly #logKey: Uint8Array;
  readonly #titles: TitleCache | undefined;
  /** Leases that this process has, and does not use. */
  readonly unreturned = new UnreturnedLeases();
  #open: OpenFile;

  constructor(connection: StoreConnection, { world, logKey, caches }: StoreFileOptions) {
    this.#world = world;
    this.#logKey = logKey;
    this.#titles = caches === undefined ? undefined : new TitleCache(caches);
    this.#open = this.#opened(connection);
  }

  get connection(): StoreConnection {
    return this.#open.connection;
  }

  get keys(): DataKeys {
    return this.#open.keys;
  }

  get rows(): RowReader {
    return this.#open.rows;
  }

  /** Reads one log. */
  get reading(): LogReader {
    return this.#open.reading;
  }

  /** Reads the table of logs. */
  get logs(): LogTable {
    return this.#open.logs;
  }

  /** Closes the connection and continues with another one to the same file. */
  continueWith(connection: StoreConnection): void {
    this.connection[Symbol.dispose]();
    this.#open = this.#opened(connection);
  }

  /** Keeps no key and no title in memory: some may have expired. */
  forget(): void {
    this.keys.forget();
    this.#titles?.forget();
  }

  [Symbol.dispose](): void {
    this.connection[Symbol.dispose]();
  }

  #opened(connection: StoreConnection): OpenFile {
    const keys = new DataKeys(connection, this.#logKey, (count) => this.#world.random.bytes(count));
    const rows = new RowReader(connection.path, keys, this.#titles);
    const reading = new LogReader(connection, rows);
    const { machine } = this.#world;
    const logs = new LogTable(connection, { rows, machine, unreturned: this.unreturned });
    return { connection, keys, rows, reading, logs };
  }
}
