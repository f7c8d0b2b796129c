import { closeSync, openSync, readSync } from "node:fs";
import type { Clock } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { QuickFiles } from "./quick-looks.ts";
import { quickLooks } from "./quick-looks.ts";

const MOUNT_TABLE = "/proc/self/mountinfo";
/** With a longer table nothing is quick: parsing it each second would take longer than the looks. */
const MOUNT_TABLE_BYTES_MAX = 65_536;
/** A file system that is mounted later may be met for this time. */
const MOUNTS_MS_MAX = 1_000;
/** Looks at once in succession, some milliseconds of them. Then other work gets its turn. */
export const LOOKS_MAX = 512;

export interface HostLooksOptions {
  /** Looks through another thread. */
  readonly others: QuickFiles;
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns the text of `/proc/self/mountinfo`; undefined where it cannot be read. */
  readonly mounts: () => string | undefined;
}

/**
 * Returns looks at all paths of the machine, and reads of small files, that happen at once where no file system can
 * make them wait.
 *
 * A start makes a hundred of them, and each trip to another thread takes 0.1 ms.
 */
export function hostLooks({ others, clock, mounts }: HostLooksOptions): QuickFiles {
  let quick = others;
  let untilMs = Number.NEGATIVE_INFINITY;
  let looks = 0;
  async function take<Found>(look: (files: QuickFiles) => Promise<Found>): Promise<Found> {
    if (looks === LOOKS_MAX) {
      try {
        return await look(others);
      } finally {
        looks = 0;
      }
    }
    looks += 1;
    const nowMs = clock.monotonic();
    if (nowMs >= untilMs) {
      quick = quickLooks({ mounts: mounts(), others, clock });
      untilMs = nowMs + MOUNTS_MS_MAX;
    }
    return await look(quick);
  }
  return {
    stat: (path) => take((files) => files.stat(path)),
    lstat: (path) => take((files) => files.lstat(path)),
    // A quick one follows a link that was put there 0.1 s ago. Tools resolve what a command can have replaced.
    realpath: (path) => others.realpath(path),
    readlink: (path) => take((files) => files.readlink(path)),
    read: (path, bytesMax) => take((files) => files.read(path, bytesMax)),
  };
}

/** Reads this process's table of mounts, which the kernel keeps in memory. Returns undefined if there is none. */
export function readMountTable(): string | undefined {
  const buffer = Buffer.allocUnsafe(MOUNT_TABLE_BYTES_MAX);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(MOUNT_TABLE, "r");
    let filled = 0;
    while (filled < buffer.length) {
      const count = readSync(descriptor, buffer, filled, buffer.length - filled, null);
      if (count === 0) return buffer.toString("utf8", 0, filled);
      filled += count;
    }
    return undefined;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined; // not on Linux
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
