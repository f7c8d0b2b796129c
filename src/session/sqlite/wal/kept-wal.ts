import { existsSync } from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { StoreConnection } from "../connection.ts";
import { framesBehind, mayHaveFramesBehind } from "./wal.ts";

/** Bytes kept of a damaged write-ahead log; it is truncated to this size after each checkpoint. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
const PRIVATE_FILE = 0o600;

type KeepingWorld = Pick<World, "files" | "log" | "machine">;

/** Returns the path for a copy of the last damaged write-ahead log. */
export function keptWalPath(store: string): string {
  return `${store}-wal-damaged`;
}

/** Returns the path of that copy, if it exists. */
export function keptWal(store: string): string | undefined {
  const path = keptWalPath(store);
  return existsSync(path) ? path : undefined;
}

/**
 * Copies a write-ahead log with frames behind a damaged one to `<store>-wal-damaged`, before the next write overwrites
 * them (SES-18). One copy of at most 64 MiB, readable by its owner alone; a newer one replaces it, and the next expiry
 * or deletion removes it, since it may hold keys that are destroyed then. A copy that cannot be written is logged.
 */
export async function keepDamagedWal(connection: StoreConnection, world: KeepingWorld): Promise<void> {
  const { path } = connection;
  const log = world.log.for("session.sqlite");
  const copy = keptWalPath(path);
  try {
    if (!mayHaveFramesBehind(path)) return;
    const frames = framesBehind(path);
    // A log that a living process writes changes between two reads; that process checked it when it opened the store.
    if (frames === 0 || isBeingWritten(connection, world) || framesBehind(path) !== frames) return;
    const bytes = await world.files.readRange(`${path}-wal`, 0, KEPT_BYTES_MAX);
    await world.files.writeAtomic(copy, bytes, PRIVATE_FILE);
    log.write("warn", "a damaged write-ahead log was copied aside", { path: copy, frames });
  } catch (thrown) {
    log.write("warn", "a damaged write-ahead log could not be copied aside", {
      path: copy,
      error: messageOf(thrown),
    });
  }
}

/** Removes the copy: it may hold keys that were just destroyed in the store. */
export async function removeKeptWal(store: string, { files }: Pick<World, "files">): Promise<void> {
  if (keptWal(store) !== undefined) await files.remove(keptWalPath(store));
}

function isBeingWritten(connection: StoreConnection, { machine }: KeepingWorld): boolean {
  if (connection.first("SELECT 1 FROM sqlite_schema WHERE name = 'leases'") === undefined) return false;
  return connection
    .all("SELECT pid, process_start FROM leases WHERE pid IS NOT NULL")
    .some((row) => machine.isAlive(Number(row["pid"]), String(row["process_start"])));
}
