import type { BigIntStats, Dirent } from "node:fs";
import type { Clock, FileInfo, FileKind } from "../../base/world.ts";
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
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

/** Returns true for the error of a path where nothing is. */
export function isAbsent(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

export function kindOf(entry: Dirent | BigIntStats): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

/**
 * Kinds of file systems on a disk or in the memory of this machine, by the number that `statfs` of Linux reports. A
 * file system of the network, or of another program (FUSE), may never answer. Those of this list are assumed to answer:
 * what lies below an overlay or a block device, such as a network, is not shown.
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
/** A device is asked about again after this time: after an unmount, another file system may get its number. */
const DEVICE_MS_MAX = 60_000;

export interface LocalDevicesOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns the kind of the file system of a path, as `statfs` of Linux reports it. */
  readonly kindAt: (path: string) => Promise<number>;
}

/** Devices of files that were opened: those of this machine's disks and memory, and others. */
export class LocalDevices {
  readonly #options: LocalDevicesOptions;
  readonly #known = new Map<string, { readonly isLocal: boolean; readonly atMs: number }>();

  constructor(options: LocalDevicesOptions) {
    this.#options = options;
  }

  /** Returns true if a file lies on a device that `learn` found to be local: reading it cannot wait for ever. */
  hasFile({ identity }: FileInfo): boolean {
    return this.#recent(deviceOf(identity))?.isLocal === true;
  }

  /** Finds out, once a minute for each device, if a file lies on a local one. */
  async learn(path: string, { identity }: FileInfo): Promise<void> {
    const device = deviceOf(identity);
    if (this.#recent(device) !== undefined) return;
    const atMs = this.#options.clock.monotonic();
    const isLocal = LOCAL_KINDS.has(await this.#options.kindAt(path));
    if (this.#known.size === DEVICES_MAX) this.#known.clear();
    this.#known.set(device, { isLocal, atMs });
  }

  #recent(device: string): { readonly isLocal: boolean } | undefined {
    const known = this.#known.get(device);
    if (known === undefined) return undefined;
    return this.#options.clock.monotonic() - known.atMs < DEVICE_MS_MAX ? known : undefined;
  }
}

function deviceOf(identity: string): string {
  return identity.slice(0, identity.indexOf(":"));
}
