import { Database } from "bun:sqlite";
import { closeSync, constants, openSync } from "node:fs";

/** How long another process may hold the store: a change takes milliseconds. */
const WAIT_MS_MAX = 20_000;

/**
 * Does something while no other process does: a lock of the system, which ends with its process, however that ends.
 *
 * It is that of an empty database, since the runtime offers no other.
 * @throws an error where it cannot be had within 20 s, or the file cannot be made.
 */
export async function withStoreLock<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  // Made here, so that it is private from its first instant.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  using database = new Database(path, { readwrite: true });
  database.exec(`PRAGMA busy_timeout = ${WAIT_MS_MAX}`);
  database.exec("BEGIN EXCLUSIVE");
  try {
    return await work();
  } finally {
    database.exec("ROLLBACK");
  }
}
