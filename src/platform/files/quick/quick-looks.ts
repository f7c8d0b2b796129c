import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../../base/files/below.ts";
import type { Clock, FileInfo, Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { fileInfo, isAbsent } from "../file-info.ts";
import { foreignMounts } from "./mount-table.ts";

export type QuickFiles = Pick<Files, "stat" | "lstat" | "realpath" | "readlink" | "read">;

/** Longest file that is read at once. */
const FILE_BYTES_MAX = 262_144;

/** Part of a path that is empty, or leads to its folder or out of it. */
const DETOUR = /\/\.{0,2}(?:\/|$)/;
/** A folder is checked once for the many paths of a policy in it. */
const FOLDERS_MS_MAX = 100;

export interface QuickLooksOptions {
  /** Folders to look below at once. Absent: at all paths. */
  readonly folders?: readonly string[];
  /** Text of `/proc/self/mountinfo`; undefined where it cannot be read: then nothing is quick. */
  readonly mounts: string | undefined;
  /** QuickFiles through another thread, for all other paths. */
  readonly others: QuickFiles;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Returns looks that happen at once where no file system can make them wait: the one JavaScript thread would wait.
 *
 * A path counts only without a link in it, since a link may lead to any mount. Each part is checked from the top,
 * so that no look follows one. A link that replaces a folder within `FOLDERS_MS_MAX` is followed.
 */
export function quickLooks({ folders, mounts, others, clock }: QuickLooksOptions): QuickFiles {
  const foreign = new Set(mounts === undefined ? ["/"] : foreignMounts(mounts));
  const seen = new Map<string, boolean>();
  let sinceMs = clock.monotonic();
  /**
   * Returns true if no part of a folder's path is a link or a mount of those. Below a missing part there is nothing to
   * follow.
   */
  function isPlain(folder: string): boolean {
    if (foreign.has(folder)) return false;
    if (folder === "/") return true;
    let plain = seen.get(folder);
    if (plain === undefined) {
      plain = isPlain(dirname(folder)) && !isLink(folder);
      seen.set(folder, plain);
    }
    return plain;
  }
  /** Returns true if a look at a path follows no link before its last part, and meets only local file systems. */
  function isQuick(path: string): boolean {
    if (!path.startsWith("/") || DETOUR.test(path) || foreign.has(path)) return false;
    if (folders?.some((folder) => isWithin(folder, path)) === false) return false;
    const nowMs = clock.monotonic();
    if (nowMs - sinceMs > FOLDERS_MS_MAX) {
      seen.clear();
      sinceMs = nowMs;
    }
    return isPlain(dirname(path));
  }
  return {
    async stat(path) {
      if (!isQuick(path)) return await others.stat(path);
      const found = infoOf(path);
      return found?.kind === "symlink" ? await others.stat(path) : found;
    },
    lstat: async (path) => (isQuick(path) ? infoOf(path) : await others.lstat(path)),
    async realpath(path) {
      // What was seen of the folders keeps the look from waiting. It never answers: policies are made of the answer.
      return isQuick(path) && !isLink(path) ? realpathSync.native(path) : await others.realpath(path);
    },
    readlink: async (path) => (isQuick(path) ? readlinkSync(path) : await others.readlink(path)),
    async read(path, bytesMax) {
      const bytes = isQuick(path) ? smallFile(path, Math.min(bytesMax, FILE_BYTES_MAX)) : undefined;
      return bytes ?? (await others.read(path, bytesMax));
    },
  };
}

function infoOf(path: string): FileInfo | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? undefined : fileInfo(found);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

/** Returns false also where the look itself fails: access is refused, or the part above is a file. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return false;
  }
}

/** Reads a regular file of at most `bytesMax`. Returns undefined for anything else, which `others` reads or refuses. */
function smallFile(path: string, bytesMax: number): Uint8Array | undefined {
  let descriptor: number | undefined;
  try {
    if (infoOf(path)?.kind !== "file") return undefined;
    // Should it be something else by now: a link is not followed, and nothing waits for the writer of a FIFO.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size === 0 || stats.size > bytesMax) return undefined;
    const bytes = new Uint8Array(stats.size);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(descriptor, bytes, filled, bytes.length - filled, null);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined; // `others` meets the same failure, and throws it as its own
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
