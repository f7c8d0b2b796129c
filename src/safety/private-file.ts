import { constants } from "node:fs";
import { link, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../base/world.ts";

const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;
const OTHERS = 0o077;

/** State of a file that only its owner may access. */
export type PrivateFile =
  | { readonly kind: "missing" }
  /** It exists and must not be used. Both texts continue a sentence after its path; `problem` includes the remedy. */
  | { readonly kind: "refused"; readonly problem: string; readonly cause: string }
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly mode: number };

/**
 * Reads a file of cinch with a secret. Refuses a link, another user's file, one that others can read or write, and
 * any other kind of file: its content may be known, or may not be the user's (S54).
 *
 * The checks apply to the open file, not to its path. System errors are thrown with their code.
 */
export async function readPrivateFile(path: string, bytesMax: number): Promise<PrivateFile> {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await openUnlessMissing(path, flags);
  if (file === undefined) return { kind: "missing" };
  if (file === "link") return refused("is a symbolic link", "put the file itself there");
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return refused("is not an ordinary file");
    const user = process.geteuid?.();
    if (user !== undefined && stats.uid !== user) return refused("belongs to another user");
    if (process.platform !== "win32" && (stats.mode & OTHERS) !== 0) {
      const mode = (stats.mode & 0o7777).toString(8).padStart(4, "0");
      return refused(`can be read or changed by others (mode ${mode})`, `if nobody did: chmod 600 ${path}`);
    }
    if (stats.size > bytesMax)
      return refused(`has ${stats.size} bytes, more than the ${bytesMax} it may have`);
    const buffer = new Uint8Array(bytesMax);
    let filled = 0;
    while (filled < bytesMax) {
      const { bytesRead } = await file.read(buffer, filled, bytesMax - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const bytes = buffer.slice(0, filled);
    buffer.fill(0);
    return { kind: "read", bytes, mode: stats.mode & 0o7777 };
  } finally {
    await file.close();
  }
}

/**
 * Creates a private file in one step unless it exists: readers see no file or all of it, and of several concurrent
 * processes one succeeds. Returns true if it was this one.
 */
export async function createPrivateFile(
  path: string,
  bytes: Uint8Array,
  unique: Uint8Array,
): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_OWNER_ONLY });
  const temporary = temporaryBeside(path, unique);
  try {
    await writeNewFile(temporary, bytes);
    await removeLeftovers(path, temporary);
    await link(temporary, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Replaces a file by a private one in one step. Its mode is 0600, whatever the old mode was, and a link is replaced,
 * not followed.
 */
export async function replacePrivateFile(path: string, bytes: Uint8Array, unique: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_OWNER_ONLY });
  const temporary = temporaryBeside(path, unique);
  try {
    await writeNewFile(temporary, bytes);
    await removeLeftovers(path, temporary);
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
}

/** Removes the file itself; a link is removed, not followed. Does nothing if it does not exist. */
export async function removePrivateFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Longer than any process takes to write a few bytes. */
const LEFT_OVER_MS = 60_000;

/**
 * Removes temporary files of processes that were killed while they created this file: those older than the newest by
 * this time.
 */
async function removeLeftovers(path: string, newest: string): Promise<void> {
  const { mtimeMs } = await lstat(newest);
  const start = `.${basename(path)}.`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(start) || !name.endsWith(TEMPORARY)) continue;
    const found = join(dirname(path), name);
    const madeMs = await lstat(found).then(
      (stats) => stats.mtimeMs,
      () => mtimeMs, // its creator has removed it
    );
    if (madeMs < mtimeMs - LEFT_OVER_MS) await rm(found, { force: true });
  }
}

const TEMPORARY = ".cinch-tmp";

/** Writes a new file of mode 0600 and waits until it is on disk. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await using file = await open(path, flags, OWNER_ONLY);
  await file.writeFile(bytes);
  await file.sync();
}

export function temporaryBeside(path: string, unique: Uint8Array): string {
  return join(dirname(path), `.${basename(path)}.${Buffer.from(unique).toString("hex")}${TEMPORARY}`);
}

/** Compares two secrets in a time that reveals nothing about them or their lengths (AUTH-10). */
export function sameSecret(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(value).digest();
  return crypto.timingSafeEqual(digest(one), digest(other));
}

async function openUnlessMissing(path: string, flags: number) {
  try {
    return await open(path, flags);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP" || code === "EMLINK")
      return (await lstat(path)).isSymbolicLink() ? "link" : undefined;
    throw thrown;
  }
}

function refused(cause: string, remedy?: string): PrivateFile {
  return { kind: "refused", problem: remedy === undefined ? cause : `${cause}; ${remedy}`, cause };
}
