import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const INDEX_BYTES_MAX = 256 * 1_048_576;
const ENTRY_FIXED_BYTES_MIN = 62;

/**
 * Returns true if git tracks a path of a repository, according to its index. Git is not run, since the repository's
 * configuration would run with it (S42).
 *
 * If in doubt the result is true: an unreadable index may contain the path.
 */
export function isTrackedByGit(root: string, path: string): boolean {
  try {
    const directory = gitDirectory(root);
    const files = ["index", ...readdirSync(directory).filter((name) => name.startsWith("sharedindex."))];
    return files.some((name) => holds(join(directory, name), path));
  } catch {
    return true;
  }
}

/** Returns `.git`, or the target of a `.git` file of a worktree or submodule. */
function gitDirectory(root: string): string {
  const dotGit = join(root, ".git");
  if (statSync(dotGit).isDirectory()) return dotGit;
  const target = /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8"))?.[1];
  if (target === undefined) throw new Error("a .git file without a gitdir");
  return resolve(root, target.trim());
}

function holds(index: string, path: string): boolean {
  const size = statSync(index, { throwIfNoEntry: false })?.size;
  if (size === undefined) return false; // nothing was ever added
  if (size > INDEX_BYTES_MAX) return true;
  const bytes = readFileSync(index);
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return true;
  const version = bytes.readUInt32BE(4);
  const wanted = spellings(path);
  // Up to version 3 each name is stored whole and zero-terminated, whatever the width of the ids before it.
  if (version === 2 || version === 3) {
    return wanted.some((name) => bytes.toString("latin1").toLowerCase().includes(`${name}\0`));
  }
  return version === 4 ? compressedNames(bytes).some((name) => wanted.includes(name.toLowerCase())) : true;
}

/** Returns the path and, for an index with whole folders only, its parents. Case is not significant everywhere. */
function spellings(path: string): readonly string[] {
  const parts = Buffer.from(path).toString("latin1").toLowerCase().split("/");
  return parts.map((_, index) => {
    const name = parts.slice(0, index + 1).join("/");
    return index === parts.length - 1 ? name : `${name}/`;
  });
}

/**
 * Reads the names of version 4, each given by the number of characters removed from the previous name and the
 * appended text.
 */
function compressedNames(bytes: Buffer): readonly string[] {
  const entries = bytes.readUInt32BE(8);
  for (const idBytes of [20, 32]) {
    const names = namesWith(bytes, entries, idBytes);
    if (names !== undefined) return names;
  }
  throw new Error("an index whose names cannot be read");
}

function namesWith(bytes: Buffer, entries: number, idBytes: number): readonly string[] | undefined {
  const names: string[] = [];
  let [at, name] = [12, ""];
  for (let entry = 0; entry < entries; entry++) {
    const flagsAt = at + ENTRY_FIXED_BYTES_MIN - 22 + idBytes;
    if (flagsAt + 2 > bytes.length) return undefined;
    at = flagsAt + ((bytes.readUInt16BE(flagsAt) & 0x4000) === 0 ? 2 : 4);
    let dropped = 0;
    for (let more = true, first = true; more; first = false) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      dropped = (first ? 0 : (dropped + 1) * 128) + (byte & 0x7f);
      more = (byte & 0x80) !== 0;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0 || dropped > name.length) return undefined;
    const next = name.slice(0, name.length - dropped) + bytes.toString("latin1", at, end);
    if (next < name) return undefined; // names are sorted, so this was misread
    name = next;
    names.push(name);
    at = end + 1;
  }
  return names;
}
