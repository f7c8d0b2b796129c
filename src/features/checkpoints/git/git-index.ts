import { pathText } from "../../../base/files/path-text.ts";
import type { Instant } from "../../../base/files/tree.ts";

/** Entry of git's index for one tracked file: its state when git last saw that it equals an object. */
export interface IndexEntry {
  /** Hexadecimal. */
  readonly object: string;
  readonly mode: number;
  readonly size: number;
  readonly modified: Instant;
  readonly changed: Instant;
  readonly inode: number;
}

const ENTRIES_PER_PAUSE = 500;
const ENTRIES_MAX = 1_000_000;
/** Limit for one path: no system opens a longer one. */
const PATH_BYTES_MAX = 4_096;
/** Limit for all paths together: in version 4 one byte can repeat a whole path. */
const PATHS_BYTES_MAX = 256 * 1024 * 1024;
const HEADER_BYTES = 12;
const FIXED_BYTES = 62;
const OBJECT_BYTES = 20;
const CHECKSUM_BYTES = 20;
const FLAGS_AT = 60;
const [EXTENDED, STAGE, NAME_BYTES] = [0x4000, 0x3000, 0xfff];
const [ASSUME_VALID, SKIP_WORKTREE] = [0x8000, 0x4000];

/**
 * Parses an index file of version 2, 3 or 4; returns its entries by path from the top of the working tree.
 *
 * Keeps the bytes, which must not change. Returns undefined for any other file, for one that needs another file (a
 * split index), or has more or longer paths than the limits: nothing is then known of any file. Leaves out entries in
 * conflict, of submodules and of directories, and those marked to be ignored by git.
 */
export async function parseIndex(
  index: Uint8Array,
  pause: () => Promise<void>,
): Promise<ReadonlyMap<string, IndexEntry> | undefined> {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
  if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== 0x4449_5243 || version < 2 || version > 4) return undefined;
  const source = { bytes, view };
  const count = view.getUint32(8);
  const end = bytes.length - CHECKSUM_BYTES;
  if (count > ENTRIES_MAX) return undefined;
  const entries = new Map<string, IndexEntry>();
  let pathsBytes = 0;
  let previous: Uint8Array = new Uint8Array();
  let at = HEADER_BYTES;
  for (let number = 0; number < count; number += 1) {
    if (at + FIXED_BYTES > end) return undefined;
    if (number % ENTRIES_PER_PAUSE === 0) await pause();
    const flags = view.getUint16(at + FLAGS_AT);
    const isExtended = version >= 3 && (flags & EXTENDED) !== 0;
    const extended = isExtended ? view.getUint16(at + FIXED_BYTES) : 0;
    const named = nameAt(bytes, at + FIXED_BYTES + (isExtended ? 2 : 0), { version, previous, end, flags });
    if (named === undefined || named.name.length > PATH_BYTES_MAX) return undefined;
    pathsBytes += named.name.length;
    if (pathsBytes > PATHS_BYTES_MAX) return undefined;
    const mode = view.getUint32(at + 24);
    const isFile = (mode & 0o170000) === 0o100000 || (mode & 0o170000) === 0o120000;
    const isLooked = (flags & (STAGE | ASSUME_VALID)) === 0 && (extended & SKIP_WORKTREE) === 0;
    if (isFile && isLooked) entries.set(textOf(named.name), new HeldEntry(source, at));
    previous = named.name;
    // Up to version 3 entries are padded with zeros to a multiple of eight bytes.
    at = version === 4 ? named.end : at + Math.ceil((named.end - at) / 8) * 8;
  }
  return isSplit(bytes, at, end) ? undefined : entries;
}

interface HeldIndex {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** An entry, decoded from the index on access: for most, only their existence is ever needed. */
class HeldEntry implements IndexEntry {
  readonly #index: HeldIndex;
  readonly #at: number;

  constructor(index: HeldIndex, at: number) {
    this.#index = index;
    this.#at = at;
  }

  get object(): string {
    const from = this.#at + 40;
    return this.#index.bytes.toString("hex", from, from + OBJECT_BYTES);
  }

  get mode(): number {
    return this.#index.view.getUint32(this.#at + 24);
  }

  get size(): number {
    return this.#index.view.getUint32(this.#at + 36);
  }

  get changed(): Instant {
    return this.#instant(0);
  }

  get modified(): Instant {
    return this.#instant(8);
  }

  get inode(): number {
    return this.#index.view.getUint32(this.#at + 20);
  }

  #instant(from: number): Instant {
    const at = this.#at + from;
    return { seconds: this.#index.view.getUint32(at), nanoseconds: this.#index.view.getUint32(at + 4) };
  }
}

interface Naming {
  readonly version: number;
  readonly previous: Uint8Array;
  readonly end: number;
  readonly flags: number;
}

/** Returns the name at an offset, and the offset after its terminating zero. */
function nameAt(
  bytes: Uint8Array,
  at: number,
  { version, previous, end, flags }: Naming,
): { readonly name: Uint8Array; readonly end: number } | undefined {
  let [from, prefix] = [at, new Uint8Array() as Uint8Array];
  if (version === 4) {
    const dropped = readOffsetVarint(bytes, at);
    if (dropped === undefined || dropped.value > previous.length) return undefined;
    prefix = previous.subarray(0, previous.length - dropped.value);
    from = dropped.end;
  }
  const length = flags & NAME_BYTES;
  const known = version !== 4 && length < NAME_BYTES ? from + length : bytes.indexOf(0, from);
  if (known < from || known >= end || bytes[known] !== 0) return undefined;
  const rest = bytes.subarray(from, known);
  return { name: prefix.length === 0 ? rest : joined(prefix, rest), end: known + 1 };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a, 0);
  both.set(b, a.length);
  return both;
}

/** Decodes a number as in pack offsets; names of version 4 use the same encoding. */
export function readOffsetVarint(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } | undefined {
  let [at, value] = [from, 0];
  for (let count = 0; count < 8; count += 1) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    at += 1;
    value = value * 128 + (byte & 127);
    if ((byte & 128) === 0) return { value, end: at };
    value += 1;
  }
  return undefined;
}

/** Returns true if an extension says that most entries are in another file. */
function isSplit(bytes: Uint8Array, from: number, end: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = from; at + 8 <= end; at += 8 + view.getUint32(at + 4)) {
    if (view.getUint32(at) === 0x6c69_6e6b) return true;
  }
  return false;
}

/** Decodes like `pathText`, which is slower and lossless. */
function textOf(name: Uint8Array): string {
  const text = Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString("utf8");
  return text.includes("\ufffd") ? pathText(name) : text;
}

/** Returns the object name at an offset. */
export function objectNameAt(bytes: Uint8Array, at: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + at, OBJECT_BYTES).toString("hex");
}
