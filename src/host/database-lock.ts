import { constants, Database } from "bun:sqlite";
import type { Clock } from "../base/world.ts";
import { codeOf } from "../base/world.ts";

const TRY_AGAIN_MS = 20;
const FLAGS = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_NOFOLLOW;

/**
 * Waits until this process alone has a lock, as `lockFile` does, on every system that has SQLite: the lock is a transaction
 * on a database in which nothing is. It is freed by disposing it, or by the end of the process, however that comes. The
 * file stays; no link is followed in its place.
 * @throws an error of SQLite where the file cannot be made, one that names it where it is damaged; the signal's reason.
 */
export async function lockDatabase(
  path: string,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<Disposable> {
  signal.throwIfAborted();
  const database = new Database(path, FLAGS);
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
