import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import type { EventSeq, LogId } from "../../../base/ids.ts";
import type { Machine, World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { StoreConnection } from "../connection.ts";

/** The newest commit of a log, as its writer wrote it beside the store. */
export interface LogHead extends Position {
  readonly logId: LogId;
  /** Chained hash of every batch, `CHAIN_BYTES` long. */
  readonly chain: Uint8Array;
  /** The newest commit that was safe from loss of power. */
  readonly synced: Position;
  /** Boot of the machine in which it was written; "" where that is unknown. */
  readonly boot: string;
  /** When it was written, in milliseconds since 1970. */
  readonly atMs: number;
  /** True if a person was shown that the store is behind it. */
  readonly isReported: boolean;
}

/** A position in a log: the number of its batches, and its last event. */
export interface Position {
  readonly commits: number;
  readonly last: EventSeq;
}

export interface HeadsRead {
  /** By the row number of the log. */
  readonly heads: ReadonlyMap<number, LogHead>;
  /** Records that are damaged. */
  readonly unreadable: number;
  /** There is no file at all. */
  readonly missing?: true;
}

export const CHAIN_BYTES = 16;

const RECORD_BYTES = 128;
const CHECKED_BYTES = RECORD_BYTES - 4;
/** Logs above this have no head: a damaged row number must not create a file of any size. */
const NUM_MAX = 1_000_000;
const PRIVATE_FILE = 0o600;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const [HEAD_MAGIC, STORE_MAGIC] = ["CHD1", "CHS1"];
const [ID_AT, BOOT_AT, TOLD_AT, NUMBERS_AT, CHAIN_AT, TIME_AT] = [4, 34, 42, 48, 80, 96];
const [ID_BYTES, BOOT_BYTES] = [30, 8];
const NONE: HeadsRead = { heads: new Map(), unreadable: 0 };

/**
 * The head file beside a store: one record of 128 bytes for each log, at the offset of its row number (SES-18).
 *
 * Written after each commit and never synced, so it may be behind the store; a store that is behind it has lost
 * something. Each log has one writer, so each record has one too. Bound to one store: the records of another one are
 * ignored. A file that cannot be written is logged once, and the sessions continue.
 */
export class HeadFile implements Disposable {
  readonly path: string;
  readonly #world: Pick<World, "log">;
  readonly #store: Uint8Array;
  readonly #record = new Uint8Array(RECORD_BYTES);
  #file: number | undefined;
  #failed = false;

  /** @param identity distinguishes this store from any other. */
  constructor(store: string, identity: string, world: Pick<World, "log">) {
    this.path = headsPath(store);
    this.#store = new Bun.CryptoHasher("sha256").update(identity).digest().subarray(0, CHAIN_BYTES);
    this.#world = world;
  }

  write(num: number, head: LogHead): void {
    if (num > NUM_MAX) return;
    fill(this.#record, head);
    this.#put(num, this.#record);
  }

  /** Forgets a log that is about to be deleted. */
  clear(num: number): void {
    if (num > NUM_MAX || (this.#file === undefined && sizeOf(this.path) === 0)) return;
    this.#put(num, new Uint8Array(RECORD_BYTES));
  }

  /**
   * Returns the records that were written last, at most `newest`. Default: all. Read them before the store: a write
   * between the two is then in the store already.
   */
  read(newest = Number.POSITIVE_INFINITY): HeadsRead {
    let bytes: Uint8Array;
    try {
      if (sizeOf(this.path) > (NUM_MAX + 1) * RECORD_BYTES) return { heads: new Map(), unreadable: 1 };
      bytes = readFileSync(this.path);
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return { ...NONE, missing: true };
      return { heads: new Map(), unreadable: 1 };
    }
    if (bytes.length === 0 || this.#isForeign(bytes.subarray(0, RECORD_BYTES))) return NONE;
    const heads = new Map<number, LogHead>();
    let unreadable = isSound(bytes.subarray(0, RECORD_BYTES), STORE_MAGIC) ? 0 : 1;
    for (const num of newestOf(bytes, newest)) {
      const record = bytes.subarray(num * RECORD_BYTES, (num + 1) * RECORD_BYTES);
      if (isSound(record, HEAD_MAGIC)) heads.set(num, headIn(record));
      else if (record.some((byte) => byte !== 0)) unreadable += 1;
    }
    return { heads, unreadable };
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #put(num: number, record: Uint8Array): void {
    if (this.#failed) return;
    try {
      this.#file ??= this.#open();
      writeSync(this.#file, record, 0, RECORD_BYTES, num * RECORD_BYTES);
    } catch (thrown) {
      this.#failed = true;
      this.#world.log.for("session.sqlite").write("warn", "the heads of the logs cannot be written", {
        path: this.path,
        error: messageOf(thrown),
      });
    }
  }

  #open(): number {
    const file = openSync(this.path, FLAGS, PRIVATE_FILE);
    const first = new Uint8Array(RECORD_BYTES);
    if (readSync(file, first, 0, RECORD_BYTES, 0) === RECORD_BYTES && !this.#isForeign(first)) return file;
    ftruncateSync(file, 0);
    first.fill(0);
    first.set(Buffer.from(STORE_MAGIC, "latin1"));
    first.set(this.#store, CHAIN_AT);
    writeSync(file, sealed(first), 0, RECORD_BYTES, 0);
    return file;
  }

  /** Returns true for the first record of another store's file. A damaged one counts as this store's. */
  #isForeign(first: Uint8Array): boolean {
    if (!isSound(first, STORE_MAGIC)) return false;
    return Buffer.compare(first.subarray(CHAIN_AT, CHAIN_AT + CHAIN_BYTES), this.#store) !== 0;
  }
}

export function headsPath(store: string): string {
  return `${store}-heads`;
}

/** Counts the logs in the head file beside a store, whichever store wrote it. */
export function countHeads(store: string): number {
  const path = headsPath(store);
  const size = sizeOf(path);
  if (size === 0 || size > (NUM_MAX + 1) * RECORD_BYTES) return 0;
  const bytes = readFileSync(path);
  let count = 0;
  for (let at = RECORD_BYTES; at < bytes.length; at += RECORD_BYTES) {
    if (isSound(bytes.subarray(at, at + RECORD_BYTES), HEAD_MAGIC)) count += 1;
  }
  return count;
}

/** Returns the heads of an open store. */
export function headsOf(connection: StoreConnection, world: Pick<World, "log">): HeadFile {
  const since = connection.first("SELECT since FROM sealing")?.["since"];
  return new HeadFile(connection.path, String(since ?? ""), world);
}

/** Returns the boot of the machine for a head: the first part of the start of a process. */
export function bootOf({ processStart }: Pick<Machine, "processStart">): string {
  const [boot = "", rest] = processStart.split(":");
  return rest === undefined ? "" : boot;
}

/** Returns the numbers of the records that were written last, whatever is in them. */
function newestOf(bytes: Uint8Array, newest: number): readonly number[] {
  const nums = Array.from({ length: Math.ceil(bytes.length / RECORD_BYTES) - 1 }, (_, index) => index + 1);
  if (nums.length <= newest) return nums;
  const view = viewOf(bytes);
  const time = (num: number) => view.getFloat64(num * RECORD_BYTES + TIME_AT) || 0;
  const whole = nums.filter((num) => (num + 1) * RECORD_BYTES <= bytes.length);
  return whole.sort((a, b) => time(b) - time(a)).slice(0, newest);
}

function fill(
  record: Uint8Array,
  { logId, boot, isReported, atMs, commits, last, synced, chain }: LogHead,
): void {
  record.fill(0);
  record.set(Buffer.from(HEAD_MAGIC, "latin1"));
  record.set(Buffer.from(logId, "latin1").subarray(0, ID_BYTES), ID_AT);
  record.set(Buffer.from(boot, "latin1").subarray(0, BOOT_BYTES), BOOT_AT);
  record[TOLD_AT] = isReported ? 1 : 0;
  const view = viewOf(record);
  for (const [index, number] of [commits, last, synced.commits, synced.last].entries()) {
    view.setFloat64(NUMBERS_AT + 8 * index, number);
  }
  record.set(chain, CHAIN_AT);
  view.setFloat64(TIME_AT, atMs);
  sealed(record);
}

function headIn(record: Uint8Array): LogHead {
  const view = viewOf(record);
  const number = (index: number) => view.getFloat64(NUMBERS_AT + 8 * index);
  const text = (at: number, bytes: number) =>
    Buffer.from(record.subarray(at, at + bytes))
      .toString("latin1")
      .replaceAll("\0", "");
  return {
    logId: text(ID_AT, ID_BYTES) as LogId,
    boot: text(BOOT_AT, BOOT_BYTES),
    isReported: record[TOLD_AT] === 1,
    atMs: view.getFloat64(TIME_AT),
    commits: number(0),
    last: number(1),
    synced: { commits: number(2), last: number(3) },
    chain: record.slice(CHAIN_AT, CHAIN_AT + CHAIN_BYTES),
  };
}

function sealed(record: Uint8Array): Uint8Array {
  viewOf(record).setUint32(CHECKED_BYTES, Bun.hash.crc32(record.subarray(0, CHECKED_BYTES)));
  return record;
}

function isSound(record: Uint8Array, magic: string): boolean {
  if (record.length < RECORD_BYTES || Buffer.from(record.subarray(0, 4)).toString("latin1") !== magic)
    return false;
  return viewOf(record).getUint32(CHECKED_BYTES) === Bun.hash.crc32(record.subarray(0, CHECKED_BYTES));
}

function viewOf(record: Uint8Array): DataView {
  return new DataView(record.buffer, record.byteOffset, record.byteLength);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
