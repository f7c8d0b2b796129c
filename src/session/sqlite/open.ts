import { dirname } from "node:path";
import { HarnessError, hasReason, messageOf } from "../../base/errors.ts";
import type { FileInfo, World } from "../../base/world.ts";
import type { SessionStore } from "../store/store.ts";
import { checkLength } from "./check/check-length.ts";
import { Connection } from "./connection.ts";
import type { LogKey } from "./keys/data-keys.ts";
import { checkLogKey, DataKeys } from "./keys/data-keys.ts";
import { sealOld } from "./keys/seal-old.ts";
import { removeBackups } from "./schema/backups.ts";
import { fillExpiry } from "./schema/fill-expiry.ts";
import { migrate } from "./schema/migrate.ts";
import type { Migration } from "./schema/migrations.ts";
import { MIGRATIONS } from "./schema/migrations.ts";
import { SqliteStore } from "./store.ts";
import { countHeads, headsPath } from "./wal/heads.ts";
import { keepDamagedWal, removeKeptWal } from "./wal/kept-wal.ts";
import { keepReserve } from "./wal/reserve.ts";
import { BUSY_MS_MAX, patient, truncateLog } from "./when-free.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;
/** The least that a database file can be. */
const PAGE_BYTES_MIN = 512;

export interface SqliteStoreOptions {
  /** The database file, absolute; made with its directory where it is missing. */
  readonly path: string;
  readonly world: World;
  /** What every content is sealed with (SES-04). */
  readonly logKey: LogKey;
  /** Total wait for another process's transaction; 30 s unless given, which is thousands of them. Blocks no thread. */
  readonly busyMs?: number;
  /** Ends the wait for another process with its reason. Absent: only the total wait ends it. */
  readonly signal?: AbortSignal;
  /** Told before an older store is upgraded, which may take a while: show it. */
  readonly onUpgrade?: (from: number, to: number) => void;
  /** The schema steps to apply; other ones than the built-in are for tests of upgrading. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the session store in an SQLite file (SES-01), readable and writable by its owner alone, every content in it sealed
 * (SES-04). What an older version left unsealed is sealed first.
 *
 * One on a read-only medium can still be read, and on a disk without room something can be deleted (SES-16).
 * @throws StoreNewer, StoreCorrupt, StoreUnwritable, StoreBusy or SessionsLocked; a file that cannot be used is left as it
 *   is.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const { path, world, busyMs = BUSY_MS_MAX, signal = new AbortController().signal } = options;
  // The write-ahead log first: whoever makes a store at this moment fills the database before it.
  const unmerged = (await lookAt(`${path}-wal`, options))?.size ?? 0;
  const found = await lookAt(path, options);
  if (found !== undefined) checkFile(path, found, unmerged);
  if (found === undefined) await makeFile(path, world);
  else if (unmerged > 0) checkFirst(path);
  const open = () => Connection.open(path, 0);
  const whenFree = patient({ clock: world.clock, msMax: busyMs, signal });
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
    return await openWith(() => Connection.openFrozen(path, 0), options, open);
  }
}

/**
 * A connection that writes would write its log back into the file when it is closed, or remove one of which it can read
 * nothing: so this one only reads.
 */
function checkFirst(path: string): void {
  let reader: Connection | undefined;
  try {
    reader = Connection.openToRead(path, 0);
    checkLength(reader);
    checkNotEmptied(reader);
  } catch (thrown) {
    // What hinders a reader alone, such as a lock, is met by the connection that follows too.
    if (hasReason(thrown, "StoreCorrupt")) throw thrown;
  } finally {
    reader?.[Symbol.dispose]();
  }
}

async function openWith(
  connect: () => Connection,
  options: SqliteStoreOptions,
  reopen?: () => Connection,
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
    return new SqliteStore(connection, { world, logKey: logKey.key, busyMs: options.busyMs, reopen });
  } catch (thrown) {
    connection[Symbol.dispose]();
    throw thrown;
  }
}

export function hasSealing(connection: Connection): boolean {
  return connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'sealing'") !== undefined;
}

/** Lets nothing of what was in the clear stay in the files beside the store. */
async function forgetPlain(connection: Connection, options: SqliteStoreOptions): Promise<void> {
  const { world, path, signal = new AbortController().signal } = options;
  await truncateLog(connection, { clock: world.clock, signal });
  await removeBackups(path, world);
  await removeKeptWal(path, world);
}

/**
 * What is there under a name, following links.
 * @throws HarnessError StoreUnwritable where its folder may not even be looked into.
 */
export async function lookAt(
  file: string,
  { path, world }: Pick<SqliteStoreOptions, "path" | "world">,
): Promise<FileInfo | undefined> {
  try {
    return await world.files.stat(file);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** @throws HarnessError StoreUnwritable, StoreCorrupt where SQLite would do harm, or nothing, with what is there. */
export function checkFile(path: string, found: FileInfo, unmerged: number): void {
  if (found.kind !== "file") {
    const detail = found.kind === "directory" ? "it is a directory" : "it is no regular file";
    throw new HarnessError("StoreUnwritable", { path, detail });
  }
  // SQLite would take it for a new database, and write over it.
  if (found.size > 0 && found.size < PAGE_BYTES_MIN) {
    const detail = `the file has ${found.size} bytes, which is no database`;
    throw new HarnessError("StoreCorrupt", { path, detail });
  }
  // SQLite would take the empty file for a new database and throw the write-ahead log away.
  if (found.size === 0 && unmerged > 0) {
    const detail = "the file is empty, but its write-ahead log is not";
    throw new HarnessError("StoreCorrupt", { path, detail });
  }
}

/** @throws HarnessError StoreCorrupt for a file that holds nothing, though its heads tell of sessions. */
export function checkNotEmptied(connection: Connection): void {
  const { path } = connection;
  const isEmpty = () => connection.first("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
  const logs = isEmpty() ? countHeads(path) : 0;
  // Whoever makes the store at this moment fills it before the first head.
  if (logs === 0 || !isEmpty()) return;
  const detail = `it holds nothing, and ${headsPath(path)} tells of ${logs} sessions: it was emptied, or its write-ahead log was removed`;
  throw new HarnessError("StoreCorrupt", { path, detail });
}

/**
 * Makes an empty private file. SQLite gives its own files the mode of the database, so that nothing depends on the umask of
 * the process.
 */
async function makeFile(path: string, world: World): Promise<void> {
  try {
    await world.files.makeDirectory(dirname(path), PRIVATE_DIRECTORY);
    await world.files.remove(headsPath(path)); // those of a store that was moved away
    await world.files.append(path, "", PRIVATE_FILE);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): HarnessError<"StoreUnwritable"> {
  return new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
}
