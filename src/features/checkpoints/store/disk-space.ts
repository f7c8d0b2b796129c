import { join } from "node:path";
import { assert } from "../../../base/assert.ts";
import type { LogId } from "../../../base/ids.ts";
import { isId } from "../../../base/ids.ts";
import type { Files } from "../../../base/world.ts";

/** Share of the limit that is freed when it is reached, so that it is not reached again at once. */
const FREED_SHARE = 0.1;

export interface SpaceDependencies {
  readonly files: Files;
  /** Folder that holds one folder for each log. */
  readonly folder: string;
  /** The log that needs space: it stays. */
  readonly log: LogId;
  readonly bytesMax: number;
  /**
   * Returns true if the checkpoints of another log may be removed: the store has it, and it is neither pinned nor in
   * use.
   */
  readonly mayGo: (log: LogId) => Promise<boolean>;
  /** Called with the logs whose checkpoints were removed. */
  readonly onLetGo: (logs: readonly string[], bytes: number) => void;
}

interface StoredCheckpoints {
  readonly log: LogId;
  readonly bytes: number;
  readonly newestMs: number;
}

/**
 * Returns the bytes that the checkpoints of a log may still take. At the limit, those of other logs are removed, the
 * oldest first; never those of a log that is pinned or in use.
 */
export async function spaceFor(dependencies: SpaceDependencies): Promise<number> {
  const { files, folder, log, bytesMax, mayGo, onLetGo } = dependencies;
  if ((await files.stat(folder)) === undefined) return bytesMax;
  const stored: StoredCheckpoints[] = [];
  for (const { name, kind } of await files.list(folder)) {
    // A folder with another name is not cinch's: it is neither counted nor removed.
    if (kind === "directory" && isId("log", name))
      stored.push(await measured(files, join(folder, name), name));
  }
  let total = stored.reduce((sum, { bytes }) => sum + bytes, 0);
  const aim = bytesMax * (1 - FREED_SHARE);
  if (total <= aim) return bytesMax - total;
  const removed: StoredCheckpoints[] = [];
  for (const old of stored.sort((a, b) => a.newestMs - b.newestMs)) {
    if (total <= aim) break;
    if (old.log === log || !(await mayGo(old.log))) continue;
    await removeCheckpoints(files, folder, old.log);
    total -= old.bytes;
    removed.push(old);
  }
  if (removed.length > 0) {
    onLetGo(
      removed.map((old) => old.log),
      removed.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }
  return Math.max(0, bytesMax - total);
}

/** Removes the checkpoints of one log for good. @param folder holds one folder for each log. */
export async function removeCheckpoints(files: Files, folder: string, log: LogId): Promise<void> {
  assert(isId("log", log) && folder.startsWith("/"), "only a folder of checkpoints is removed");
  const path = join(folder, log);
  if ((await files.lstat(path))?.kind === "directory") await files.remove(path);
}

/** Returns the time of the last record; undefined if there is none. */
export async function newestCheckpointMs(
  files: Files,
  folder: string,
  log: LogId,
): Promise<number | undefined> {
  const path = join(folder, log);
  return (await files.lstat(path))?.kind === "directory"
    ? (await measured(files, path, log)).newestMs
    : undefined;
}

async function measured(files: Files, folder: string, log: LogId): Promise<StoredCheckpoints> {
  let [bytes, newestMs] = [0, 0];
  for (const { name } of await files.list(folder)) {
    const info = await files.lstat(join(folder, name));
    bytes += info?.size ?? 0;
    newestMs = Math.max(newestMs, info?.modifiedMs ?? 0);
  }
  return { log, bytes, newestMs };
}
