import { constants, Database } from "bun:sqlite";
import { closeSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

const TRY_AGAIN_MS = 20;
const FLAGS = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_NOFOLLOW;

/**
 * Waits until this process alone has a lock, on every system with SQLite: the lock is a transaction on an empty
 * database. Disposing it, or any end of the process, frees it. The file stays, readable for its owner only. A link in
 * its place is refused; links among the folders above it are followed.
 * @throws an error of the system or of SQLite if the file cannot be created, one that names it if it is damaged; the
 * signal's reason.
 */
export async function lockDatabase(
  path: string,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<Disposable> {
  signal.throwIfAborted();
  // SQLite refuses a link anywhere in the path, for example if the user keeps ~/.config elsewhere.
  const resolved = join(realpathSync(dirname(path)), basename(path));
  create(resolved);
  const database = new Database(resolved, FLAGS);
  const lock = { [Symbol.dispose]: () => database.close() };
  try {
    database.run("PRAGMA busy_timeout = 0"); // waiting there would block the whole process
    while (!isBegun(database)) await clock.sleep(TRY_AGAIN_MS, signal);
    return lock;
  } catch (thrown) {
    lock[Symbol.dispose]();
    throw thrown;
  }
}

/** Creates the file for its owner only: a process that can read it could hold the lock. */
function create(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600)); // never an existing one: closing it would free locks of this process
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}

/** Returns false if another process has it. */
function isBegun(database: Database): boolean {
  try {
    database.run("BEGIN IMMEDIATE");
    return true;
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code?.startsWith("SQLITE_BUSY") === true) return false;
    if (code !== "SQLITE_NOTADB") throw thrown;
    const problem = `the lock ${database.filename} is damaged; nothing is kept in it: remove it`;
    throw new Error(problem, { cause: thrown });
  }
}
