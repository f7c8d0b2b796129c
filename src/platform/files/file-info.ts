import type { BigIntStats, Dirent } from "node:fs";
import type { FileInfo, FileKind } from "../../base/world.ts";

/** Converts the result of `stat` to the `Files` contract. */
export function fileInfo(stats: BigIntStats): FileInfo {
  return {
    kind: kindOf(stats),
    size: Number(stats.size),
    modifiedMs: Number(stats.mtimeNs) / 1e6,
    changedMs: Number(stats.ctimeNs) / 1e6,
    mode: Number(stats.mode) & 0o7777,
    owner: Number(stats.uid),
    identity: `${stats.dev}:${stats.ino}`,
    links: Number(stats.nlink),
  };
}

export function kindOf(entry: Dirent | BigIntStats): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
