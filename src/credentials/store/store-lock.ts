import { Database } from "bun:sqlite";
import { closeSync, constants, openSync } from "node:fs";
import { retryWhileBusy } from "../../base/async/retry-while-busy.ts";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

/** Total wait for other processes, each of which needs milliseconds for a change. */
export const LOCK_MS_MAX = 20_000;

/**
 * Runs a function while no other process does, under a system lock that ends with its process. Waiting blocks
 * no thread.
 *
 * The lock is a transaction on an empty database, since the runtime offers no other.
 * @throws an error of SQLite if another process still has it after 20 s, or the file cannot be created.
 */
export async function withStoreLock<Value>(
  path: string,
  clock: Pick<Clock, "monotonic" | "sleep">,
  work: () => Promise<Value>,
): Promise<Value> {
  // Created here, so that it is private from the start.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  using database = new Database(path, { readwrite: true });
  database.run("PRAGMA busy_timeout = 0");
  const busyRetry = { clock, msMax: LOCK_MS_MAX, signal: new AbortController().signal };
  await retryWhileBusy(busyRetry, isBusy, () => database.run("BEGIN EXCLUSIVE"));
  try {
    return await work();
  } finally {
    database.run("ROLLBACK");
  }
}

function isBusy(thrown: unknown): boolean {
  return codeOf(thrown)?.startsWith("SQLITE_BUSY") === true;
}
