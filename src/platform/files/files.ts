import { constants } from "node:fs";
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { defined } from "../../base/defined.ts";
import { decode } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";
import { codeOf, FileTooLarge } from "../../base/world.ts";
import { hostClock } from "../clock.ts";
import { hostRandom } from "../random.ts";
import { infoIfThere, kindOf } from "./file-info.ts";
import { hostLooks, readMountTable } from "./quick/host-looks.ts";
import type { QuickFiles } from "./quick/quick-looks.ts";
import { quickLooks } from "./quick/quick-looks.ts";
import { listResolved, openResolved, removeResolved, writeResolved } from "./resolved-files.ts";

const NEW_FILE_MODE = 0o644;
const READ_CHUNK_BYTES = 65_536;
const MOUNT_TABLE = "/proc/self/mountinfo";
const MOUNT_TABLE_BYTES_MAX = 1_048_576;

/** Looks and reads that go through another thread, as everything that may wait for ever. */
const THREAD_LOOKS: QuickFiles = {
  stat: (path) => infoIfThere(() => stat(path, { bigint: true })),
  lstat: (path) => infoIfThere(() => lstat(path, { bigint: true })),
  realpath: (path) => realpath(path),
  readlink: (path) => readlink(path),
  read,
};

/** The machine's file system. */
export const hostFiles: Files = {
  ...hostLooks({ others: THREAD_LOOKS, clock: hostClock, mounts: readMountTable }),
  async list(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },
  readRange,
  writeAtomic: (path, content, mode) => naming(path, () => writeAtomic(path, content, mode)),
  async append(path, content, mode = NEW_FILE_MODE) {
    await naming(path, () => appendFile(path, content, { mode }));
  },
  createNew: (path, content, mode) => naming(path, () => createNew(path, content, mode)),
  async makeDirectory(path, mode) {
    await mkdir(path, { recursive: true, ...defined({ mode }) });
  },
  async remove(path) {
    await rm(path, { recursive: true, force: true });
  },
  openResolved,
  writeResolved,
  removeResolved,
  listResolved,
  async makeTemporary(prefix) {
    const { makeTemporaryFolder } = await import("./temporary.ts");
    return makeTemporaryFolder(prefix);
  },
  quickBelow,
};

async function quickBelow(folders: readonly string[]): ReturnType<NonNullable<Files["quickBelow"]>> {
  return quickLooks({ folders, mounts: await mountTable(), others: THREAD_LOOKS, clock: hostClock });
}

async function mountTable(): Promise<string | undefined> {
  try {
    return decode(await read(MOUNT_TABLE, MOUNT_TABLE_BYTES_MAX));
  } catch (thrown) {
    if (codeOf(thrown) === undefined && !(thrown instanceof FileTooLarge)) throw thrown;
    return undefined; // not on Linux, or too many mounts to look through
  }
}

/** Adds the path to a system error: an error of an open file has none ("ENOSPC: …, write"). */
async function naming<Value>(path: string, write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === undefined || !(thrown instanceof Error) || "path" in thrown) throw thrown;
    throw Object.assign(new Error(`${thrown.message} '${path}'`, { cause: thrown }), { code, path });
  }
}

async function readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function read(path: string, bytesMax: number): Promise<Uint8Array> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stats = await file.stat();
  const { size } = stats;
  if (size > bytesMax) throw new FileTooLarge(path, size, bytesMax);
  // Some files (in /proc, or growing ones) contain more than their size: read until the end, or the limit.
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (true) {
    const chunk = new Uint8Array(Math.max(READ_CHUNK_BYTES, size + 1 - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    total += bytesRead;
    if (total > bytesMax) throw new FileTooLarge(path, total, bytesMax);
    chunks.push(chunk.subarray(0, bytesRead));
    if (stats.isFile() && size > 0 && total === size) break; // an ordinary file, and all of it
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

async function createNew(path: string, content: Uint8Array | string, mode: number): Promise<boolean> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using file = await open(path, flags, mode);
    await file.writeFile(content);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

async function writeAtomic(path: string, content: Uint8Array | string, mode?: number): Promise<void> {
  const before = await infoIfThere(() => stat(path, { bigint: true }));
  const temporary = join(dirname(path), `.${basename(path)}.${hostRandom.bytes(6).toHex()}.cinch-tmp`);
  try {
    {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      await using file = await open(temporary, flags, mode ?? NEW_FILE_MODE);
      await file.writeFile(content);
      await file.sync();
    }
    if (before !== undefined) await chmod(temporary, before.mode);
    await rename(temporary, path);
  } catch (thrown) {
    // The first failure is thrown: without a folder to write in, there is nothing to remove either.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw thrown;
  }
}
