import type { Dirent } from "node:fs";
import { closeSync, constants, lstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { pathBytes } from "../base/path-text.ts";
import type { NodeStat } from "../base/tree.ts";
import type { FileKind } from "../base/world.ts";
import { codeOf } from "../base/world.ts";
import { fromC } from "./c-library.ts";
import { kindOf } from "./file-info.ts";

/** Numbers kept of one entry: mode with its kind, size (2), modified (2), changed (2), inode. */
export const STAT_WORDS = 8;
/** `mode` of an entry that is not there. */
export const GONE = 0;

const STRUCT_BYTES = 256;
const AT_SYMLINK_NOFOLLOW = 0x100;
const FORMAT = 0o170000;
/** Byte offsets in the kernel's `struct stat`, which are the same but for the mode on both processors. */
const [INODE, SIZE, MODIFIED, CHANGED] = [8, 48, 88, 104];
const MODE = process.arch === "arm64" ? 16 : 24;

/** Names of one folder as the C library takes them, made once. */
export interface PackedNames {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/**
 * Fills in the numbers of many entries of one folder. A call of the C library for each costs two thirds of what the
 * runtime's own `lstat` takes, and a third of that is the kernel's.
 */
export function statInto(
  folder: string,
  names: readonly string[],
  packed: PackedNames,
  words: Uint32Array,
): void {
  const library = cLibrary();
  if (library === undefined || names.length === 0) {
    statSlowly(folder, names, words);
    return;
  }
  let descriptor: number;
  try {
    descriptor = openSync(native(folder), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (!isGone(thrown)) throw thrown;
    words.fill(GONE);
    return;
  }
  try {
    const base = library.pointer(packed.bytes);
    for (const [index, offset] of packed.offsets.entries()) {
      const at = index * STAT_WORDS;
      if (library.fstatat(descriptor, base + offset, library.struct, AT_SYMLINK_NOFOLLOW) !== 0) {
        words[at] = GONE;
        continue;
      }
      const { view } = library;
      words[at] = view.getUint32(MODE, true);
      words[at + 1] = view.getUint32(SIZE, true);
      words[at + 2] = view.getUint32(SIZE + 4, true);
      words[at + 3] = view.getUint32(MODIFIED, true);
      words[at + 4] = view.getUint32(MODIFIED + 8, true);
      words[at + 5] = view.getUint32(CHANGED, true);
      words[at + 6] = view.getUint32(CHANGED + 8, true);
      words[at + 7] = view.getUint32(INODE, true);
    }
  } finally {
    closeSync(descriptor);
  }
}

export function packNames(names: readonly string[]): PackedNames {
  const offsets = new Uint32Array(names.length);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const [index, name] of names.entries()) {
    const bytes = Buffer.from(native(name));
    offsets[index] = at;
    parts.push(bytes, ZERO);
    at += bytes.length + 1;
  }
  return { bytes: Buffer.concat(parts), offsets };
}
const ZERO = new Uint8Array(1);

/** The numbers of one entry, by its whole path. */
export function statWords(path: string): Uint32Array {
  const words = new Uint32Array(STAT_WORDS);
  statOne(path, words, 0);
  return words;
}

export function nodeStat(words: Uint32Array, at: number): NodeStat | undefined {
  const mode = words[at] ?? GONE;
  if (mode === GONE) return undefined;
  return {
    kind: kindOfMode(mode),
    mode: mode & 0o7777,
    size: (words[at + 2] ?? 0) * 2 ** 32 + (words[at + 1] ?? 0),
    modified: { seconds: words[at + 3] ?? 0, nanoseconds: words[at + 4] ?? 0 },
    changed: { seconds: words[at + 5] ?? 0, nanoseconds: words[at + 6] ?? 0 },
    inode: words[at + 7] ?? 0,
  };
}

function kindOfMode(mode: number): FileKind {
  const format = mode & FORMAT;
  if (format === constants.S_IFREG) return "file";
  if (format === constants.S_IFDIR) return "directory";
  return format === constants.S_IFLNK ? "symlink" : "other";
}

export function native(path: string): string | Buffer {
  const bytes = pathBytes(path);
  return typeof bytes === "string" ? bytes : Buffer.from(bytes);
}

export function isGone(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

export function direntKind(entry: Dirent): FileKind {
  return kindOf(entry);
}

function statSlowly(folder: string, names: readonly string[], words: Uint32Array): void {
  for (const [index, name] of names.entries()) statOne(join(folder, name), words, index * STAT_WORDS);
}

function statOne(path: string, words: Uint32Array, at: number): void {
  const stats = lstatOf(path);
  words.fill(0, at, at + STAT_WORDS);
  if (stats === undefined) return;
  words[at] = Number(stats.mode);
  words[at + 1] = Number(stats.size & LOW);
  words[at + 2] = Number(stats.size >> 32n);
  words[at + 3] = Number((stats.mtimeNs / BILLION) & LOW);
  words[at + 4] = Number(stats.mtimeNs % BILLION);
  words[at + 5] = Number((stats.ctimeNs / BILLION) & LOW);
  words[at + 6] = Number(stats.ctimeNs % BILLION);
  words[at + 7] = Number(stats.ino & LOW);
}
const LOW = 0xffff_ffffn;
const BILLION = 1_000_000_000n;

function lstatOf(path: string) {
  try {
    return lstatSync(native(path), { bigint: true });
  } catch (thrown) {
    if (isGone(thrown)) return undefined;
    throw thrown;
  }
}

interface CLibrary {
  readonly fstatat: (folder: number, name: number, into: number, flags: number) => number;
  readonly pointer: (bytes: Uint8Array) => number;
  /** Keeps the memory that the C library writes into. */
  readonly held: Uint8Array;
  readonly struct: number;
  readonly view: DataView;
}
let loaded: CLibrary | "none" | undefined;

function cLibrary(): CLibrary | undefined {
  loaded ??= loadC() ?? "none";
  return loaded === "none" ? undefined : loaded;
}

function loadC(): CLibrary | undefined {
  if (process.arch !== "x64" && process.arch !== "arm64") return undefined;
  const symbols = fromC({
    fstatat: { args: ["i32", "ptr", "ptr", "i32"], returns: "i32" },
  });
  const ffi = process.getBuiltinModule("bun:ffi") as
    | { readonly ptr: (bytes: Uint8Array) => number }
    | undefined;
  if (symbols === undefined || ffi === undefined) return undefined;
  // The buffer comes first: an array that is asked for its buffer later is moved to another place in memory.
  const buffer = new ArrayBuffer(STRUCT_BYTES);
  const struct = new Uint8Array(buffer);
  return {
    fstatat: symbols.fstatat as unknown as CLibrary["fstatat"],
    pointer: ffi.ptr,
    held: struct,
    struct: ffi.ptr(struct),
    view: new DataView(buffer),
  };
}
