import { join } from "node:path";
import type { Files } from "../base/world.ts";

/** Of the bound, what is made free when it is reached, so that it is not reached again at once. */
const FREED_SHARE = 0.1;

export interface SpaceParts {
  readonly files: Files;
  /** The folder that holds one folder for each log. */
  readonly folder: string;
  /** The log that needs room: it stays. */
  readonly log: string;
  readonly bytesMax: number;
  /** Whether the checkpoints of another log may go: it is neither pinned nor in use. */
  readonly mayGo: (log: string) => Promise<boolean>;
  /** Told of logs whose checkpoints went. */
  readonly onLetGo: (logs: readonly string[], bytes: number) => void;
}

interface Held {
  readonly log: string;
  readonly bytes: number;
  readonly newestMs: number;
}

/**
 * Bytes that the checkpoints of a log may still take. Where the bound is reached, those of other logs go, the oldest
 * first; never those of a log that is pinned or in use.
 */
export async function roomFor(parts: SpaceParts): Promise<number> {
  const { files, folder, log, bytesMax, mayGo, onLetGo } = parts;
  if ((await files.stat(folder)) === undefined) return bytesMax;
  const held: Held[] = [];
  for (const { name, kind } of await files.list(folder)) {
    if (kind === "directory") held.push(await measured(files, join(folder, name), name));
  }
  let total = held.reduce((sum, { bytes }) => sum + bytes, 0);
  const aim = bytesMax * (1 - FREED_SHARE);
  if (total <= aim) return bytesMax - total;
  const gone: Held[] = [];
  for (const old of held.sort((a, b) => a.newestMs - b.newestMs)) {
    if (total <= aim) break;
    if (old.log === log || !(await mayGo(old.log))) continue;
    await files.remove(join(folder, old.log));
    total -= old.bytes;
    gone.push(old);
  }
  if (gone.length > 0) {
    onLetGo(
      gone.map((old) => old.log),
      gone.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }
  return Math.max(0, bytesMax - total);
}

async function measured(files: Files, folder: string, log: string): Promise<Held> {
  let [bytes, newestMs] = [0, 0];
  for (const { name } of await files.list(folder)) {
    const info = await files.lstat(join(folder, name));
    bytes += info?.size ?? 0;
    newestMs = Math.max(newestMs, info?.modifiedMs ?? 0);
  }
  return { log, bytes, newestMs };
}
