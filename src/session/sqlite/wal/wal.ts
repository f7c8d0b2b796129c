import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { codeOf } from "../../../base/world.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
/** Size of the index beside a write-ahead log, and offset of the number of frames read, in the machine's byte order. */
const [INDEX_BYTES, READ_FRAMES_AT] = [48, 16];
const DATABASE_HEADER_BYTES = 100;
const DATABASE_MAGIC = "SQLite format 3\0";
/** A process that writes the log back has finished one of its steps by then. */
const LOOKS_MAX = 3;
/** Descriptors of the files of stores, by path: three for each store that this process has open. */
const OPEN_FILES = new Map<string, { readonly file: number; readonly inode: bigint }>();

/** The write-ahead log of a store (SQLite file format, § 4). */
interface Wal {
  readonly view: DataView;
  readonly pageBytes: number;
  readonly isLittle: boolean;
  /** Offsets of the frames since the last restart of the log; older ones have another salt. */
  readonly frames: readonly number[];
}

/**
 * Returns a sentence about the missing part of a store, if pages of it are neither in its file nor in its write-ahead
 * log; undefined if all of them exist, or the file does not say how many it has. Reads both files and needs no SQLite.
 */
export function missingPagesText(path: string): string | undefined {
  // Another process may write the log back meanwhile: then the file is longer at the next read.
  for (let look = 1; look <= LOOKS_MAX; look++) {
    const wal = readWal(path);
    const file = readHead(path);
    if (file === undefined) return undefined;
    const committed = wal === undefined ? [] : finished(wal.view, wal.frames.slice(0, countSound(wal)));
    const [last] = committed.slice(-1);
    const pages = (last === undefined ? file.pages : wal?.view.getUint32(last + 4)) ?? 0;
    const inLog = new Set(committed.map((at) => wal?.view.getUint32(at)));
    let missing = 0;
    for (let page = Math.floor(file.bytes / file.pageBytes) + 1; page <= pages; page++)
      if (!inLog.has(page)) missing += 1;
    if (missing === 0) return undefined;
    if (look === LOOKS_MAX)
      return `it is cut short: it has ${file.bytes} bytes, and ${missing} of its ${pages} pages are behind its end`;
  }
  return undefined;
}

/** Reads the header of a database file (SQLite file format, § 1.3); undefined for any other file. */
function readHead(path: string) {
  const bytes = startOf(path, DATABASE_HEADER_BYTES);
  if (bytes.length < DATABASE_HEADER_BYTES || bytes.toString("latin1", 0, 16) !== DATABASE_MAGIC)
    return undefined;
  const size = bytes.readUInt16BE(16);
  // The count is that of the last writer that knew of it: of the same change of the file.
  const pages = bytes.readUInt32BE(24) === bytes.readUInt32BE(92) ? bytes.readUInt32BE(28) : 0;
  return { pages, pageBytes: size === 1 ? 65_536 : size, bytes: statSync(path).size };
}

/** Returns bytes of a file, fewer at its end; none if it does not exist. */
function startOf(path: string, count: number, at = 0): Buffer {
  const file = openFile(path);
  if (file === undefined) return Buffer.alloc(0);
  const bytes = Buffer.alloc(count);
  return bytes.subarray(0, readSync(file, bytes, 0, count, at));
}

/**
 * Counts the frames of finished transactions behind the first damaged frame of a store's write-ahead log: SQLite reads
 * none of them. An unfinished transaction is no damage.
 */
export function framesBehind(store: string): number {
  const wal = readWal(store);
  if (wal === undefined) return 0;
  const { view, frames } = wal;
  return finished(view, frames.slice(countSound(wal))).length;
}

/**
 * Returns true if the write-ahead log may have frames that SQLite does not read. Costs three short reads: SQLite has
 * read the log when the store was opened, and its index says up to where. `framesBehind` is certain.
 */
export function mayHaveFramesBehind(store: string): boolean {
  const header = startOf(`${store}-wal`, HEADER_BYTES);
  const index = startOf(`${store}-shm`, INDEX_BYTES);
  if (header.length < HEADER_BYTES || index.length < INDEX_BYTES) return false;
  const read = new Uint32Array(Uint8Array.from(index).buffer)[READ_FRAMES_AT / 4] ?? 0;
  const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
  // Two of them: the salt of one may be what is damaged.
  return [0, 1].some((more) => {
    const at = HEADER_BYTES + (read + more) * frameBytes;
    const frame = startOf(`${store}-wal`, FRAME_HEADER_BYTES, at);
    const isOfThisLog =
      frame.length === FRAME_HEADER_BYTES && frame.subarray(8, 16).equals(header.subarray(16, 24));
    return isOfThisLog || (read === 0 && frame.length === FRAME_HEADER_BYTES);
  });
}

/**
 * Opens a file of a store, or returns the descriptor that is open already.
 *
 * Closing any descriptor of a file drops every POSIX lock that this process holds on it, SQLite's too (fcntl(2)):
 * another process would then reset the index that this one has mapped. So a descriptor stays open as long as its
 * file exists.
 */
function openFile(path: string): number | undefined {
  for (const [at, { file, inode }] of OPEN_FILES)
    if (inodeOf(at) !== inode) {
      closeSync(file);
      OPEN_FILES.delete(at);
    }
  const known = OPEN_FILES.get(path);
  if (known !== undefined) return known.file;
  try {
    const file = openSync(path, "r");
    OPEN_FILES.set(path, { file, inode: fstatSync(file, { bigint: true }).ino });
    return file;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Returns the frames up to the last one that ends a transaction. */
function finished(view: DataView, frames: readonly number[]): readonly number[] {
  return frames.slice(0, frames.findLastIndex((at) => view.getUint32(at + 4) !== 0) + 1);
}

/** Counts its frames that SQLite reads. */
function countSound({ view, frames, pageBytes, isLittle }: Wal): number {
  if (!isHeaderSound(view, isLittle)) return 0;
  const sum = summing(view, isLittle);
  let checksum: Checksum = [view.getUint32(24), view.getUint32(28)];
  for (const [index, at] of frames.entries()) {
    if (at !== HEADER_BYTES + index * (FRAME_HEADER_BYTES + pageBytes)) return index;
    checksum = sum(sum(checksum, at, 8), at + FRAME_HEADER_BYTES, pageBytes);
    if (!isStored(view, checksum, at + 16)) return index;
  }
  return frames.length;
}

function isHeaderSound(view: DataView, isLittle: boolean): boolean {
  return isStored(view, summing(view, isLittle)([0, 0], 0, 24), 24);
}

function isStored(view: DataView, [first, second]: Checksum, at: number): boolean {
  return first === view.getUint32(at) && second === view.getUint32(at + 4);
}

/** Returns undefined if there is none, or the file is no write-ahead log. */
function readWal(store: string): Wal | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(`${store}-wal`);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [magic, pageBytes] = [view.getUint32(0), view.getUint32(8)];
  if ((magic & ~1) >>> 0 !== MAGIC || pageBytes < 512 || pageBytes > 65_536) return undefined;
  const isLittle = (magic & 1) === 0;
  const frames: number[] = [];
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  // The salt of a damaged header is worthless: that of the first frame counts.
  const salts =
    isHeaderSound(view, isLittle) || bytes.length < HEADER_BYTES + frameBytes ? 16 : HEADER_BYTES + 8;
  const salt = view.getBigUint64(salts);
  for (let at = HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes)
    if (view.getBigUint64(at + 8) === salt) frames.push(at);
  return { view, pageBytes, isLittle, frames };
}

type Checksum = readonly [number, number];

/** Returns SQLite's checksum over pairs of 32 bits, in the byte order of the log. */
function summing(view: DataView, isLittle: boolean) {
  return ([first, second]: Checksum, from: number, bytes: number): Checksum => {
    let [a, b] = [first, second];
    for (let at = from; at < from + bytes; at += 8) {
      a = (a + view.getUint32(at, isLittle) + b) >>> 0;
      b = (b + view.getUint32(at + 4, isLittle) + a) >>> 0;
    }
    return [a, b];
  };
}
