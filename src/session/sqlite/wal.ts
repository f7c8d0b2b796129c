import { readFileSync, statSync } from "node:fs";
import { HarnessError } from "../../base/errors.ts";
import { codeOf } from "../../base/world.ts";
import type { Connection } from "./connection.ts";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
/** A process that writes the log back is through with one of its steps by then. */
const LOOKS_MAX = 3;

/** The write-ahead log of a store (SQLite file format, § 4). */
interface Wal {
  readonly view: DataView;
  readonly pageBytes: number;
  readonly isLittle: boolean;
  /** Where each frame begins, those of before the last restart of the log left out: they have another salt. */
  readonly frames: readonly number[];
}

/**
 * Looks for pages that are neither in the file of a store nor in its write-ahead log, which SQLite itself looks for only
 * when it reads one of them.
 * @throws HarnessError StoreCorrupt.
 */
export function checkLength(connection: Connection): void {
  const { path } = connection;
  // Another process may write the log back meanwhile: then the file is longer at the next look.
  for (let look = 1; ; look++) {
    const bytes = statSync(path).size;
    const row = connection.first("SELECT page_count, page_size FROM pragma_page_count(), pragma_page_size()");
    const inFile = Math.floor(bytes / Number(row?.["page_size"] ?? 1));
    const pages = Number(row?.["page_count"] ?? 0);
    if (inFile >= pages) return;
    const inLog = committedPages(path);
    let missing = 0;
    for (let page = inFile + 1; page <= pages; page++) if (!inLog.has(page)) missing += 1;
    if (missing === 0) return;
    if (look < LOOKS_MAX) continue;
    const detail = `it is cut short: it has ${bytes} bytes, and ${missing} of its ${pages} pages are behind its end`;
    throw new HarnessError("StoreCorrupt", { path, detail });
  }
}

/**
 * How many frames of finished transactions stand behind the first damaged frame of a store's write-ahead log: SQLite reads
 * none of them. A transaction that was begun and not finished is no damage.
 */
export function framesBehind(store: string): number {
  const wal = readWal(store);
  if (wal === undefined) return 0;
  const { view, frames } = wal;
  return finished(view, frames.slice(countSound(wal))).length;
}

function committedPages(store: string): ReadonlySet<number> {
  const wal = readWal(store);
  if (wal === undefined) return new Set();
  const { view, frames } = wal;
  return new Set(finished(view, frames.slice(0, countSound(wal))).map((at) => view.getUint32(at)));
}

/** Frames up to the last one that ends a transaction. */
function finished(view: DataView, frames: readonly number[]): readonly number[] {
  return frames.slice(0, frames.findLastIndex((at) => view.getUint32(at + 4) !== 0) + 1);
}

/** How many of its frames SQLite reads. */
function countSound({ view, frames, pageBytes, isLittle }: Wal): number {
  const sum = summing(view, isLittle);
  const isStored = (checksum: Checksum, at: number) =>
    checksum[0] === view.getUint32(at) && checksum[1] === view.getUint32(at + 4);
  let checksum = sum([0, 0], 0, 24);
  if (!isStored(checksum, 24)) return 0;
  for (const [index, at] of frames.entries()) {
    if (at !== HEADER_BYTES + index * (FRAME_HEADER_BYTES + pageBytes)) return index;
    checksum = sum(sum(checksum, at, 8), at + FRAME_HEADER_BYTES, pageBytes);
    if (!isStored(checksum, at + 16)) return index;
  }
  return frames.length;
}

/** Undefined where there is none, or what is there is none. */
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
  const frames: number[] = [];
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  for (let at = HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    const [salt1, salt2] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (salt1 === view.getUint32(16) && salt2 === view.getUint32(20)) frames.push(at);
  }
  return { view, pageBytes, isLittle: (magic & 1) === 0, frames };
}

type Checksum = readonly [number, number];

/** SQLite's checksum over pairs of 32 bits, in the order of bytes that the log was written in. */
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
