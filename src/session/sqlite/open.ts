import { dirname } from "node:path";
import { HarnessError, messageOf } from "../../base/errors.ts";
import type { FileInfo, World } from "../../base/world.ts";
import type { SessionStore } from "../store.ts";
import { Connection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import type { Migration } from "./migrations.ts";
import { MIGRATIONS } from "./migrations.ts";
import { SqliteStore } from "./store.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

export interface SqliteStoreOptions {
  /** The database file, absolute; made with its directory where it is missing. */
  readonly path: string;
  readonly world: World;
  /** Told before an older store is upgraded, which may take a while: show it. */
  readonly onUpgrade?: (from: number, to: number) => void;
  /** The schema steps to apply; other ones than the built-in are for tests of upgrading. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens the session store in an SQLite file (SES-01), readable and writable by its owner alone.
 *
 * @throws StoreNewer, StoreCorrupt, StoreUnwritable or StoreBusy; a file that cannot be used is left as it is.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const { path, world } = options;
  const found = await world.files.stat(path);
  await checkFile(path, found, world);
  if (found === undefined) await makeFile(path, world);
  const connection = Connection.open(path);
  try {
    await migrate(connection, {
      world,
      migrations: options.migrations ?? MIGRATIONS,
      onUpgrade: options.onUpgrade ?? (() => undefined),
    });
    return new SqliteStore(connection, world);
  } catch (thrown) {
    connection[Symbol.dispose]();
    throw thrown;
  }
}

async function checkFile(path: string, found: FileInfo | undefined, world: World): Promise<void> {
  if (found === undefined) return;
  if (found.kind !== "file") {
    throw new HarnessError("StoreUnwritable", { path, detail: `it is a ${found.kind}, not a file` });
  }
  // SQLite would take the empty file for a new database and throw the write-ahead log away.
  if (found.size === 0 && ((await world.files.stat(`${path}-wal`))?.size ?? 0) > 0) {
    const detail = "the file is empty, but its write-ahead log is not";
    throw new HarnessError("StoreCorrupt", { path, detail });
  }
}

/** SQLite gives its own files the mode of the database, so nothing depends on the umask of the process. */
async function makeFile(path: string, world: World): Promise<void> {
  try {
    await world.files.makeDirectory(dirname(path), PRIVATE_DIRECTORY);
    await world.files.append(path, "", PRIVATE_FILE);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): HarnessError<"StoreUnwritable"> {
  return new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
}
