import { constants, Database } from "bun:sqlite";
import { closeSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

const TRY_AGAIN_MS = 20;
const FLAGS = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_NOFOLLOW;

/**
 * Waits until this process alone has a lock, on every system that has SQLite: the lock is a transaction on an empty database.
 * It is freed by disposing it, or by the end of the process, however that comes. The file stays, readable for its owner
 * only. A link in its place is refused; links among the folders above it are followed.
 * @throws an error of the system or of SQLite where the file cannot be made, one that names it where it is damaged; the
 *   signal's reason.
 */
export async function lockDatabase(
  path: string,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<Disposable> {
  signal.throwIfAborted();
  // SQLite would refuse a link anywhere in the path, as where a person keeps ~/.config elsewhere.
  const resolved = join(realpathSync(dirname(path)), basename(path));
  create(resolved);
  const database = new Database(resolved, FLAGS);
  const lock = { [Symbol.dispose]: () => database.close() };
  try {
    database.run("PRAGMA busy_timeout = 0"); // to wait there would hold up the whole process
    while (!isBegun(database)) await clock.sleep(TRY_AGAIN_MS, signal);
    return lock;
  } catch (thrown) {
    lock[Symbol.dispose]();
    throw thrown;
  }
}

/** Creates the file for its owner only: whoever can read it could hold the lock against us. */
function create(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600)); // never one that exists: closing it would free locks of this process
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}

/** False where another has it. */
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
