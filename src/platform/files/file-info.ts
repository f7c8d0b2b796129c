import type { BigIntStats, Dirent } from "node:fs";
import { statfs } from "node:fs/promises";
import type { FileInfo, FileKind } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

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

/** Converts the result of `stat`, once there is one. Returns undefined if there is no such file. */
export async function infoIfThere(get: () => Promise<BigIntStats>): Promise<FileInfo | undefined> {
  try {
    return fileInfo(await get());
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw thrown;
  }
}

export function kindOf(entry: Dirent | BigIntStats): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

/**
 * Kinds of file systems on a disk or in the memory of this machine, by the number that `statfs` of Linux reports. A
 * file system of the network, or of another program (FUSE), may never answer.
 */
export const LOCAL_KINDS: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext"],
  [0x5846_5342, "xfs"],
  [0x9123_683e, "btrfs"],
  [0x0102_1994, "tmpfs"],
  [0x794c_7630, "overlay"],
  [0x2fc1_2fc1, "zfs"],
  [0xf2f5_2010, "f2fs"],
]);

/** More devices than a machine has. */
const DEVICES_MAX = 64;

/** Devices of files that this process has opened, and true for local ones. */
const devices = new Map<string, boolean>();

/** Returns true if a file lies on a device that `learnDevice` found to be local: reading it cannot wait for ever. */
export function isOnLocalDevice({ identity }: FileInfo): boolean {
  return devices.get(deviceOf(identity)) === true;
}

/** Finds out, once for each device, if a file lies on a local one. */
export async function learnDevice(path: string, { identity }: FileInfo): Promise<void> {
  const device = deviceOf(identity);
  if (process.platform !== "linux" || devices.has(device)) return;
  if (devices.size === DEVICES_MAX) devices.clear();
  devices.set(device, LOCAL_KINDS.has((await statfs(path)).type));
}

function deviceOf(identity: string): string {
  return identity.slice(0, identity.indexOf(":"));
}
