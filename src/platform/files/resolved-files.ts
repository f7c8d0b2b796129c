import type { BigIntStats } from "node:fs";
import { closeSync, constants, fstatSync, open as openFile, openSync, readlinkSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, mkdir, open, readdir, realpath, rename, rm, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { FileInfo, OpenFile, SizedEntry } from "../../base/world.ts";
import { codeOf, PathMoved } from "../../base/world.ts";
import { hostClock } from "../clock.ts";
import { hostRandom } from "../random.ts";
import { fileInfo, kindOf, LocalDevices } from "./file-info.ts";

const NEW_FILE_MODE = 0o644;
const O_PATH = 0x20_0000;
/** O_NONBLOCK: opening a FIFO that replaced the file must not wait for a writer. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

// Linux can name an open directory: /proc/self/fd/N is the directory itself, wherever its path leads now. So a handle
// is opened, the kernel returns its true path, and everything else goes through the handle. On other systems the path
// is checked right before and right after, which leaves a gap of microseconds.
const HANDLES_HAVE_PATHS = process.platform === "linux";

/** Files up to this size on a local disk are read at once: a trip to another thread takes longer than the read. */
const AT_ONCE_BYTES_MAX = 262_144;

/** A table of the network of one process. The kernel makes it in memory: nothing of it can wait. */
const KERNEL_TABLE = /^\/proc\/\d+\/net\/\w+$/;

/** Devices of this machine. Only Linux has the kinds that they are known by. */
const localDevices = new LocalDevices({
  clock: hostClock,
  kindAt: async (path) => (await statfs(path)).type,
});

/** Implements `Files.openResolved` on this machine. */
export async function openResolved(path: string, judged?: FileInfo): Promise<OpenFile> {
  if (HANDLES_HAVE_PATHS && KERNEL_TABLE.test(path)) return await openTable(path);
  const atOnce = judged !== undefined && isReadAtOnce(judged) ? await openLocal(path, judged) : undefined;
  if (atOnce !== undefined) return atOnce;
  const file = await movedOnLink(path, () => open(path, READING));
  try {
    await checkPath(file, path);
    const info = checkedInfo(path, await file.stat({ bigint: true }), judged);
    if (HANDLES_HAVE_PATHS) await localDevices.learn(path, info);
    return {
      info,
      read: (offset, length) => readFully(file, { offset, length, size: info.size }),
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** Opens a table at once. Its size is reported as 0, so each read continues to the end. */
async function openTable(path: string): Promise<OpenFile> {
  const fd = await movedOnLink(path, async () => openSync(path, READING));
  try {
    checkHandlePath(fd, path);
    return {
      info: checkedInfo(path, fstatSync(fd, { bigint: true }), undefined),
      read: async (offset, length) => readToEndAtOnce(fd, offset, length),
      [Symbol.asyncDispose]: async () => closeSync(fd),
    };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

function isReadAtOnce(info: FileInfo): boolean {
  return (
    info.kind === "file" && info.size > 0 && info.size <= AT_ONCE_BYTES_MAX && localDevices.hasFile(info)
  );
}

/**
 * Opens a file of a local disk. Opening happens on another thread, since the path may lead anywhere by now; the rest
 * happens at once. Returns undefined if the file has grown too large for that.
 */
async function openLocal(path: string, judged: FileInfo): Promise<OpenFile | undefined> {
  const fd = await movedOnLink(path, () => openDescriptor(path));
  let isKept = false;
  try {
    checkHandlePath(fd, path);
    const info = checkedInfo(path, fstatSync(fd, { bigint: true }), judged);
    if (!isReadAtOnce(info)) return undefined;
    isKept = true;
    return {
      info,
      read: async (offset, length) => readFullyAtOnce(fd, { offset, length, size: info.size }),
      [Symbol.asyncDispose]: async () => closeSync(fd),
    };
  } finally {
    if (!isKept) closeSync(fd);
  }
}

function openDescriptor(path: string): Promise<number> {
  return new Promise((resolve, reject) =>
    openFile(path, READING, (error, fd) => (error === null ? resolve(fd) : reject(error))),
  );
}

/**
 * Returns the state of an open file.
 * @throws PathMoved for anything but a regular file, and for a file with several names that was not judged: it may be
 * another name of a key.
 */
function checkedInfo(path: string, stats: BigIntStats, judged: FileInfo | undefined): FileInfo {
  if (!stats.isFile()) throw new PathMoved(path);
  const info = fileInfo(stats);
  if (judged !== undefined && info.links !== 1 && info.identity !== judged.identity)
    throw new PathMoved(path);
  return info;
}

/** Implements `Files.writeResolved` on this machine. */
export async function writeResolved(path: string, content: Uint8Array | string): Promise<FileInfo> {
  await using parent = await openParents(dirname(path));
  const target = parent.at(basename(path));
  const before = await statIfThere(target);
  if (before !== undefined && !before.isFile()) throw new PathMoved(path);
  const temporary = parent.at(`.${hostRandom.bytes(8).toHex()}.cinch-tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await using file = await open(temporary, flags, NEW_FILE_MODE);
  try {
    await file.writeFile(content);
    if (before !== undefined) await inherit(file, before);
    await file.sync();
    await parent.check();
    await rename(temporary, target);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  return fileInfo(await file.stat({ bigint: true }));
}

/** Implements `Files.removeResolved` on this machine. */
export async function removeResolved(path: string): Promise<boolean> {
  try {
    await using parent = await openDirectory(dirname(path), dirname(path));
    const target = parent.at(basename(path));
    if ((await statIfThere(target)) === undefined) return false;
    await rm(target, { recursive: true, force: true });
    return true;
  } catch (thrown) {
    if (thrown instanceof PathMoved || codeOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

/** Implements `Files.listResolved` on this machine. */
export async function listResolved(path: string, sizesMax: number): Promise<readonly SizedEntry[]> {
  await using directory = await openDirectory(path, path);
  const entries = await readdir(directory.at("."), { withFileTypes: true });
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  await directory.check();
  const listed: SizedEntry[] = [];
  for (const [index, entry] of sorted.entries()) {
    const kind = kindOf(entry);
    const stats =
      kind === "file" && index < sizesMax ? await statIfThere(directory.at(entry.name)) : undefined;
    listed.push({ name: entry.name, kind, ...(stats === undefined ? {} : { size: Number(stats.size) }) });
  }
  return listed;
}

/** An open directory whose entries are named through its handle. */
interface Parent extends AsyncDisposable {
  at(name: string): string;
  check(): Promise<void>;
}

/** Opens a directory by its resolved path; creates it and its parents if missing. */
async function openParents(path: string): Promise<Parent> {
  try {
    return await openDirectory(path, path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  await using above = await openParents(dirname(path));
  const here = above.at(basename(path));
  try {
    await mkdir(here);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown; // another process created it: it is checked like any other
  }
  return await openDirectory(here, path);
}

async function openDirectory(at: string, path: string): Promise<Parent> {
  const access = HANDLES_HAVE_PATHS ? O_PATH : constants.O_RDONLY;
  const flags = access | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await movedOnLink(path, () => open(at, flags));
  const check = () => checkPath(handle, path);
  try {
    await check();
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  return {
    at: (name) => (HANDLES_HAVE_PATHS ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)),
    check,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function checkPath(handle: FileHandle, path: string): Promise<void> {
  if (HANDLES_HAVE_PATHS) return checkHandlePath(handle.fd, path);
  if ((await realpath(path)) !== path) throw new PathMoved(path);
}

/** The kernel stores the path of an open handle: no disk access, so there is nothing to wait for. */
function checkHandlePath(fd: number, path: string): void {
  if (readlinkSync(`/proc/self/fd/${fd}`) !== path) throw new PathMoved(path);
}

/** A symlink or file instead of the expected directory or file was swapped in; it is no disk error. */
async function movedOnLink<Handle>(path: string, act: () => Promise<Handle>): Promise<Handle> {
  try {
    return await act();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ELOOP" || code === "ENOTDIR" || code === "EMLINK")
      throw new PathMoved(path, { cause: thrown });
    throw thrown;
  }
}

/** A rewritten file keeps its permissions, and its owner if the system allows that. */
async function inherit(file: FileHandle, before: BigIntStats): Promise<void> {
  const now = await file.stat({ bigint: true });
  if (now.uid !== before.uid || now.gid !== before.gid) {
    try {
      await file.chown(Number(before.uid), Number(before.gid));
    } catch (thrown) {
      if (codeOf(thrown) !== "EPERM") throw thrown; // not permitted: the new file belongs to the writer
    }
  }
  await file.chmod(Number(before.mode) & 0o7777);
}

async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

interface Range {
  readonly offset: number;
  readonly length: number;
  /** Reported size; files in /proc report 0 and contain more. */
  readonly size: number;
}

async function readFully(file: FileHandle, { offset, length, size }: Range): Promise<Uint8Array> {
  // Space for the file and one more byte, which shows that it has grown.
  const room = size === 0 ? length : Math.min(length, Math.max(size - offset, 0) + 1);
  const buffer = new Uint8Array(room);
  let filled = 0;
  while (filled < room) {
    const { bytesRead } = await file.read(buffer, filled, room - filled, offset + filled);
    filled += bytesRead;
    if (bytesRead === 0 || (size > 0 && offset + filled === size)) break;
  }
  return buffer.subarray(0, filled);
}

function readToEndAtOnce(fd: number, offset: number, length: number): Uint8Array {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const bytesRead = readSync(fd, buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function readFullyAtOnce(fd: number, { offset, length, size }: Range): Uint8Array {
  const room = Math.min(length, Math.max(size - offset, 0) + 1);
  const buffer = new Uint8Array(room);
  let filled = 0;
  while (filled < room) {
    const bytesRead = readSync(fd, buffer, filled, room - filled, offset + filled);
    filled += bytesRead;
    if (bytesRead === 0 || offset + filled === size) break;
  }
  return buffer.subarray(0, filled);
}
