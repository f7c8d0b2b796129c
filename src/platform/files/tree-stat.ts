import type { Dirent } from "node:fs";
import { constants, lstatSync } from "node:fs";
import { joinPathText, pathBytes } from "../../base/files/path-text.ts";
import type { NodeStat } from "../../base/files/tree.ts";
import type { FileKind } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { cFunctions } from "../c-library.ts";
import { kindOf } from "./file-info.ts";

/** Numbers stored per entry: mode with its kind, size (2), modified (2), changed (2), inode. */
export const STAT_WORDS = 8;
/** `mode` of an entry that does not exist. */
export const GONE = 0;

const STRUCT_BYTES = 256;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
const AT_FDCWD = -100;
const O_CLOEXEC = 0x8_0000;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_CLOEXEC;
const FORMAT = 0o170000;
/** Byte offsets in the kernel's `struct stat`, which are the same on both processors except for the mode. */
const [INODE, SIZE, MODIFIED, CHANGED] = [8, 48, 88, 104];
const MODE = process.arch === "arm64" ? 16 : 24;

/** Names of one folder in the form of the C library, built once. */
export interface PackedNames {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
}

/** A folder during a scan: open if the C library can be called, else named by its path. */
export interface OpenedFolder {
  /** Its numbers. */
  readonly words: Uint32Array;
  /** Set if it is open. */
  readonly descriptor?: number;
  /**
   * Reads the numbers of its entries. A C library call per entry takes two thirds of the time of the runtime's
   * `lstat`, nearly all of it in the kernel.
   */
  statInto(names: readonly string[], packed: PackedNames, words: Uint32Array): void;
  close(): void;
}

/** Returns a path in the form of the C library. */
export function cPath(path: string): Uint8Array {
  const bytes = Buffer.from(native(path));
  const whole = new Uint8Array(new ArrayBuffer(bytes.length + 1));
  whole.set(bytes);
  return whole;
}

/** Returns undefined if there is no folder, or it cannot be read. A link is none. */
export function openForStat(path: string, named: Uint8Array): OpenedFolder | undefined {
  const library = cLibrary();
  if (library === undefined) return openByPath(path);
  const descriptor = library.open(library.pointer(named), FOLDER_FLAGS);
  if (descriptor < 0) return undefined;
  const words = new Uint32Array(STAT_WORDS);
  statAt(library, descriptor, library.empty, AT_EMPTY_PATH);
  take(library.view, words, 0);
  return {
    words,
    descriptor,
    statInto(names, packed, into) {
      if (names.length === 0) return;
      const base = library.pointer(packed.bytes);
      const { offsets } = packed;
      for (let index = 0; index < offsets.length; index += 1) {
        const isThere = statAt(library, descriptor, base + (offsets[index] ?? 0), AT_SYMLINK_NOFOLLOW);
        if (isThere) take(library.view, into, index * STAT_WORDS);
        else into[index * STAT_WORDS] = GONE;
      }
    },
    close: () => void library.close(descriptor),
  };
}

/** Returns the numbers of one entry by its whole path, given in both forms; a link is not followed. */
export function wordsAt(path: string, named: Uint8Array): Uint32Array {
  const library = cLibrary();
  if (library === undefined) return statWords(path);
  const words = new Uint32Array(STAT_WORDS);
  if (statAt(library, AT_FDCWD, library.pointer(named), AT_SYMLINK_NOFOLLOW)) take(library.view, words, 0);
  return words;
}

function statAt(library: CLibrary, descriptor: number, name: number, flags: number): boolean {
  return library.fstatat(descriptor, name, library.struct, flags) === 0;
}

function take(view: DataView, words: Uint32Array, at: number): void {
  words[at] = view.getUint32(MODE, true);
  words[at + 1] = view.getUint32(SIZE, true);
  words[at + 2] = view.getUint32(SIZE + 4, true);
  words[at + 3] = view.getUint32(MODIFIED, true);
  words[at + 4] = view.getUint32(MODIFIED + 8, true);
  words[at + 5] = view.getUint32(CHANGED, true);
  words[at + 6] = view.getUint32(CHANGED + 8, true);
  words[at + 7] = view.getUint32(INODE, true);
}

function openByPath(path: string): OpenedFolder | undefined {
  const words = statWords(path);
  if (nodeStat(words, 0)?.kind !== "directory") return undefined;
  return {
    words,
    statInto: (names, _packed, into) => statSlowly(path, names, into),
    close: () => undefined,
  };
}

export function packNames(names: readonly string[]): PackedNames {
  const offsets = new Uint32Array(names.length);
  const joined = names.length === 0 ? "" : `${names.join("\0")}\0`;
  const whole = encoder.encode(joined);
  if (whole.length === joined.length) {
    // One byte per character: offsets in the text are offsets in the bytes.
    let from = 0;
    for (const [index, name] of names.entries()) {
      offsets[index] = from;
      from += name.length + 1;
    }
    return { bytes: whole, offsets };
  }
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
const encoder = new TextEncoder();

/** Returns the numbers of one entry, by its whole path. */
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
  for (const [index, name] of names.entries()) statOne(joinPathText(folder, name), words, index * STAT_WORDS);
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
  readonly open: (path: number, flags: number) => number;
  readonly close: (descriptor: number) => number;
  readonly pointer: (bytes: Uint8Array) => number;
  /** An empty name: the folder itself. */
  readonly empty: number;
  /** Keeps alive the memory that the C library uses. */
  readonly buffers: readonly Uint8Array[];
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
  const symbols = cFunctions({
    fstatat: { args: ["i32", "ptr", "ptr", "i32"], returns: "i32" },
    open: { args: ["ptr", "i32"], returns: "i32" },
    close: { args: ["i32"], returns: "i32" },
  });
  const ffi = process.getBuiltinModule("bun:ffi") as
    | { readonly ptr: (bytes: Uint8Array) => number }
    | undefined;
  if (symbols === undefined || ffi === undefined) return undefined;
  // The buffer comes first: an array whose buffer is requested later moves to another address.
  const buffer = new ArrayBuffer(STRUCT_BYTES);
  const struct = new Uint8Array(buffer);
  const empty = new Uint8Array(new ArrayBuffer(8));
  return {
    fstatat: symbols.fstatat as unknown as CLibrary["fstatat"],
    open: symbols.open as unknown as CLibrary["open"],
    close: symbols.close as unknown as CLibrary["close"],
    pointer: ffi.ptr,
    buffers: [struct, empty],
    empty: ffi.ptr(empty),
    struct: ffi.ptr(struct),
    view: new DataView(buffer),
  };
}
