import { dirname } from "node:path";
import type { CacheBudget } from "../../base/cache-budget.ts";
import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import type { FileInfo, World } from "../../base/world.ts";
import type { SessionStore } from "../store/store.ts";
import { checkLength } from "./check/check-length.ts";
import { StoreConnection } from "./connection.ts";
import type { LogKey } from "./keys/data-keys.ts";
import { checkLogKey, DataKeys } from "./keys/data-keys.ts";
import { sealOld } from "./keys/seal-old.ts";
import { removeBackups } from "./schema/backups.ts";
import { fillExpiry } from "./schema/fill-expiry.ts";
import { migrate } from "./schema/migrate.ts";
import type { Migration } from "./schema/migrations.ts";
import { MIGRATIONS } from "./schema/migrations.ts";
import { SqliteStore } from "./store.ts";
import { countHeads, headsPath } from "./wal/head-file.ts";
import { keepDamagedWal, removeKeptWal } from "./wal/kept-wal.ts";
import { keepReserve } from "./wal/reserve.ts";
import type { SyncFile } from "./wal/wal-sync.ts";
import { BUSY_MS_MAX, openWhenFree, truncateLog } from "./when-free.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;
/** Smallest possible size of a database file. */
const PAGE_BYTES_MIN = 512;

export interface SqliteStoreOptions {
  /** Absolute path of the database file; created with its directory if missing. */
  readonly path: string;
  readonly world: World;
  /** Key that every content is sealed with (SES-04). */
  readonly logKey: LogKey;
  /**
   * Total wait for another process's transaction. Default: 30 s, which is thousands of transactions. Blocks no thread.
   */
  readonly busyMs?: number;
  /** Ends the wait for another process with its reason. Absent: only the total wait ends it. */
  readonly signal?: AbortSignal;
  /** Called before an older store is upgraded, which may take a while. */
  readonly onUpgrade?: (from: number, to: number) => void;
  /** Syncs the write-ahead log. Default: `fdatasync`; another is for tests of a failing disk. */
  readonly syncFile?: SyncFile;
  /** Caches for opened titles, cleared when content expires or a log is deleted. Absent: none is cached. */
  readonly caches?: Pick<CacheBudget, "open">;
  /** Schema steps to apply. Default: the built-in ones; others are for tests of upgrading. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the session store in an SQLite file (SES-01), readable and writable by its owner alone, every content in it
 * sealed (SES-04). Contents that an older version left unsealed are sealed first.
 *
 * A store on a read-only medium can still be read, and on a full disk sessions can still be deleted (SES-16).
 * @throws StoreNewer, StoreCorrupt, StoreUnwritable, StoreBusy or SessionsLocked; a file that cannot be used stays as
 * it is.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const { path, world, busyMs = BUSY_MS_MAX, signal = new AbortController().signal } = options;
  // The write-ahead log first: a process that creates a store now fills the database before it.
  const unmerged = (await statStoreFile(`${path}-wal`, options))?.size ?? 0;
  const found = await statStoreFile(path, options);
  if (found !== undefined) checkFile(path, found, unmerged);
  if (found === undefined) await makeFile(path, world);
  else if (unmerged > 0) checkFirst(path);
  const open = () => StoreConnection.open(path, 0);
  const whenFree = openWhenFree({ clock: world.clock, msMax: busyMs, signal });
  try {
    const store = await whenFree(() => openWith(open, options));
    await keepReserve(path, world);
    return store;
  } catch (thrown) {
    if (found === undefined || unmerged > 0 || !hasReason(thrown, "StoreUnwritable")) throw thrown;
    world.log.for("session.sqlite").write("warn", "the session store can only be read", {
      path,
      error: thrown.message,
    });
    return await openWith(() => StoreConnection.openFrozen(path, 0), options, open);
  }
}

/**
 * A writing connection would write its log back into the file when it closes, or remove one that it cannot read: so
 * this one only reads.
 */
function checkFirst(path: string): void {
  let reader: StoreConnection | undefined;
  try {
    reader = StoreConnection.openToRead(path, 0);
    checkLength(reader);
    checkNotEmptied(reader);
  } catch (thrown) {
    // An obstacle to readers alone, such as a lock, also fails the connection that follows.
    if (hasReason(thrown, "StoreCorrupt")) throw thrown;
  } finally {
    reader?.[Symbol.dispose]();
  }
}

async function openWith(
  connect: () => StoreConnection,
  options: SqliteStoreOptions,
  reopen?: () => StoreConnection,
): Promise<SessionStore> {
  const connection = connect();
  try {
    checkNotEmptied(connection);
    if (reopen === undefined) await keepDamagedWal(connection, options.world);
    const { world, logKey, migrations = MIGRATIONS, onUpgrade = () => undefined } = options;
    if (hasSealing(connection)) checkLogKey(connection, logKey); // before anything is changed
    let sealed = 0;
    const complete = () => {
      const random = (count: number) => world.random.bytes(count);
      sealed = sealOld(connection, logKey, { now: new Date(world.clock.now()).toISOString(), random });
      fillExpiry(connection, new DataKeys(connection, logKey.key, random));
    };
    await migrate(connection, { world, migrations, onUpgrade, complete });
    if (sealed > 0) await forgetPlain(connection, options);
    return new SqliteStore(connection, {
      world,
      logKey: logKey.key,
      busyMs: options.busyMs,
      syncFile: options.syncFile,
      reopen,
      caches: options.caches,
    });
  } catch (thrown) {
    connection[Symbol.dispose]();
    throw thrown;
  }
}

export function hasSealing(connection: StoreConnection): boolean {
  return connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'sealing'") !== undefined;
}

/** Removes all unsealed content from the files beside the store. */
async function forgetPlain(connection: StoreConnection, options: SqliteStoreOptions): Promise<void> {
  const { world, path, signal = new AbortController().signal } = options;
  await truncateLog(connection, { clock: world.clock, signal });
  await removeBackups(path, world);
  await removeKeptWal(path, world);
}

/**
 * Returns what a path leads to, following links.
 * @throws HarnessError StoreUnwritable if its folder may not be read.
 */
export async function statStoreFile(
  file: string,
  { path, world }: Pick<SqliteStoreOptions, "path" | "world">,
): Promise<FileInfo | undefined> {
  try {
    return await world.files.stat(file);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** @throws HarnessError StoreUnwritable; StoreCorrupt if SQLite would overwrite or ignore the file. */
export function checkFile(path: string, found: FileInfo, unmerged: number): void {
  if (found.kind !== "file") {
    const detail = found.kind === "directory" ? "it is a directory" : "it is not a regular file";
    throw new HarnessError("StoreUnwritable", { path, detail });
  }
  // SQLite would take it for a new database and overwrite it.
  if (found.size > 0 && found.size < PAGE_BYTES_MIN) {
    const detail = `the file has ${found.size} bytes, which is not a database`;
    throw new HarnessError("StoreCorrupt", { path, detail });
  }
  // SQLite would take the empty file for a new database and throw the write-ahead log away.
  if (found.size === 0 && unmerged > 0) {
    const detail = "the file is empty, but its write-ahead log is not";
    throw new HarnessError("StoreCorrupt", { path, detail });
  }
}

/** @throws HarnessError StoreCorrupt for an empty file whose heads name sessions. */
export function checkNotEmptied(connection: StoreConnection): void {
  const { path } = connection;
  const isEmpty = () => connection.first("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
  const logs = isEmpty() ? countHeads(path) : 0;
  // A process that creates the store now fills it before the first head.
  if (logs === 0 || !isEmpty()) return;
  const detail = `it holds nothing, and ${headsPath(path)} tells of ${logs} sessions: it was emptied, or its write-ahead log was removed`;
  throw new HarnessError("StoreCorrupt", { path, detail });
}

/**
 * Creates an empty private file. SQLite gives its own files the mode of the database, so that nothing depends on the
 * umask of the process.
 */
async function makeFile(path: string, world: World): Promise<void> {
  try {
    await world.files.makeDirectory(dirname(path), PRIVATE_DIRECTORY);
    await world.files.remove(headsPath(path)); // the heads of a store that was moved away
    await world.files.append(path, "", PRIVATE_FILE);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): HarnessError<"StoreUnwritable"> {
  return new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
}
