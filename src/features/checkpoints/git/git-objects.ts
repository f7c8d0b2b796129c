import { join } from "node:path";
import type { Files, OpenFile } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";
import { applyDelta } from "./git-delta.ts";
import { objectNameAt, readOffsetVarint } from "./git-index.ts";
import type { Pack } from "./git-packs.ts";
import { findOffset, lookupBytes, openPacks } from "./git-packs.ts";

/** Limit for one object. */
const OBJECT_BYTES_MAX = 64 * 1024 * 1024;
/** Limit for the bytes read and produced for one object, all deltas and their results together. */
const WORK_BYTES_MAX = 512 * 1024 * 1024;
/** Cost of a lookup in a pack, in bytes produced in about the same time. */
const LOOKUP_BYTES = 65_536;
/** Limit for stacked deltas; git itself makes 4,095 at most. */
const DELTAS_MAX = 4_096;
const OBJECT_HEADER_BYTES_MAX = 32;
const HEAD_BYTES = 64;
const [OFFSET_DELTA, REF_DELTA, BLOB] = [6, 7, 3];
const OBJECT_NAME = /^[0-9a-f]{40}$/;

interface Raw {
  readonly isBlob: boolean;
  readonly content: Uint8Array;
}

/** Position of compressed data, and its uncompressed length. */
interface Deflated {
  readonly file: OpenFile;
  readonly from: number;
  readonly size: number;
}

/**
 * Reads files as git has stored them, from the repository's files directly: git is not run, so the repository cannot
 * configure what runs. Other repositories that it names are not followed, nor are links.
 */
export class GitObjects {
  readonly #files: Files;
  readonly #folder: string;
  #packs: Promise<readonly Pack[]> | undefined;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /**
   * Returns the content of a file; undefined if it is missing, unreadable, does not match its name, or takes more
   * work than any object that git stored.
   * @throws the signal's reason.
   */
  async blob(object: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (!OBJECT_NAME.test(object)) return undefined;
    const hadPacks = this.#packs !== undefined;
    const found = await this.#tried(object, signal);
    if (found !== undefined || !hadPacks) return found;
    // git may have repacked its objects meanwhile.
    this.#packs = undefined;
    return await this.#tried(object, signal);
  }

  async #tried(object: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    signal.throwIfAborted();
    try {
      await using reading = new Reading(this.#files, signal);
      const raw = await this.#read(object, reading);
      return raw?.isBlob === true && blobName(raw.content) === object ? raw.content : undefined;
    } catch {
      signal.throwIfAborted();
      return undefined; // damaged: the same as missing
    }
  }

  /** Descends to an object without a base, then applies the deltas one by one. */
  async #read(object: string, reading: Reading): Promise<Raw | undefined> {
    const deltas: Deflated[] = [];
    let base = await this.#find(object, reading);
    while (base !== undefined && "pack" in base) {
      const { pack, offset } = base;
      reading.spend(HEAD_BYTES);
      const file = await reading.open(pack.path);
      const { type, size, end, head } = headOf(await file.read(offset, HEAD_BYTES));
      if (type === OFFSET_DELTA || type === REF_DELTA) {
        if (deltas.length === DELTAS_MAX) return undefined;
        const below = type === OFFSET_DELTA ? readOffsetVarint(head, end) : undefined;
        const from = type === OFFSET_DELTA ? (below?.end ?? 0) : end + 20;
        deltas.push({ file, from: offset + from, size });
        if (type === REF_DELTA) base = await this.#find(objectNameAt(head, end), reading);
        else if (below === undefined || below.value <= 0 || below.value > offset) return undefined;
        else base = { pack, offset: offset - below.value };
      } else {
        const content = await reading.inflated({ file, from: offset + end, size });
        base = { isBlob: type === BLOB, content };
      }
    }
    if (base === undefined) return undefined;
    let { content } = base;
    for (const delta of deltas.toReversed()) {
      const next = applyDelta(content, await reading.inflated(delta), reading.bytesLeft());
      if (next === undefined) return undefined;
      reading.spend(next.length);
      content = next;
    }
    return { isBlob: base.isBlob, content };
  }

  async #find(
    object: string,
    reading: Reading,
  ): Promise<Raw | { readonly pack: Pack; readonly offset: number } | undefined> {
    const loose = await this.#loose(object, reading);
    if (loose !== undefined) return loose;
    this.#packs ??= openPacks(this.#files, join(this.#folder, "pack"));
    for (const pack of await this.#packs.catch(() => [])) {
      reading.spend(LOOKUP_BYTES + lookupBytes(pack, object));
      const offset = await findOffset(this.#files, pack, object).catch(() => undefined);
      if (offset !== undefined) return { pack, offset };
    }
    return undefined;
  }

  async #loose(object: string, reading: Reading): Promise<Raw | undefined> {
    const path = join(this.#folder, object.slice(0, 2), object.slice(2));
    const bytes = await wholeFile(this.#files, path);
    if (bytes === undefined) return undefined;
    const whole = inflate(bytes, OBJECT_BYTES_MAX);
    reading.spend(whole.length);
    const end = whole.indexOf(0);
    if (end < 0 || end > OBJECT_HEADER_BYTES_MAX) return undefined;
    const [kind = ""] = new TextDecoder().decode(whole.subarray(0, end)).split(" ");
    return { isBlob: kind === "blob", content: whole.subarray(end + 1) };
  }
}

/** Resources and remaining budget for reading one object. */
class Reading implements AsyncDisposable {
  readonly #files: Files;
  readonly #signal: AbortSignal;
  readonly #open = new Map<string, OpenFile>();
  #left = WORK_BYTES_MAX;

  constructor(files: Files, signal: AbortSignal) {
    this.#files = files;
    this.#signal = signal;
  }

  async open(path: string): Promise<OpenFile> {
    const known = this.#open.get(path);
    if (known !== undefined) return known;
    const file = await this.#files.openResolved(path);
    this.#open.set(path, file);
    return file;
  }

  /** Reads and inflates the data at an offset of a pack; its compressed length is known only after reading. */
  async inflated({ file, from, size }: Deflated): Promise<Uint8Array> {
    if (!(size <= OBJECT_BYTES_MAX)) throw new Error("an object that is larger than is read");
    this.spend(size);
    // Deflate makes incompressible data larger by at most five bytes for each 16 KB.
    const length = Math.min(file.info.size - from, size + Math.ceil(size / 1024) + HEAD_BYTES);
    const content = inflate(await file.read(from, length), Math.max(1, size));
    if (content.length !== size) throw new Error("an object of another length than its pack says");
    return content;
  }

  bytesLeft(): number {
    return Math.min(OBJECT_BYTES_MAX, this.#left);
  }

  /** @throws the signal's reason; Error if the budget is used up. */
  spend(bytes: number): void {
    this.#signal.throwIfAborted();
    this.#left -= bytes;
    if (this.#left < 0) throw new Error("an object that takes more work than is done for one");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#open.values()) await file[Symbol.asyncDispose]();
    this.#open.clear();
  }
}

/** Returns git's name for a file with this content. */
export function blobName(content: Uint8Array): string {
  return new Bun.CryptoHasher("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** Returns undefined if there is no file, or a link leads to it. @throws Error if it is larger than the limit. */
async function wholeFile(files: Files, path: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await files.openResolved(path);
    if (file.info.size > OBJECT_BYTES_MAX) throw new Error("an object that is larger than is read");
    return await file.read(0, file.info.size);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (thrown instanceof PathMoved || code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw thrown;
  }
}

function inflate(bytes: Uint8Array, bytesMax: number): Uint8Array {
  // Imported only now: it takes 1.5 ms to load, and this file is on the start path for the names of blobs.
  return process.getBuiltinModule("node:zlib").inflateSync(bytes, { maxOutputLength: bytesMax });
}

/** Parses the header of an object in a pack. */
function headOf(head: Uint8Array) {
  const [first = 0] = head;
  let [size, end, scale] = [first & 15, 1, 16];
  for (let byte = first; (byte & 128) !== 0; end += 1) {
    byte = head[end] ?? 0;
    size += (byte & 127) * scale;
    scale *= 128;
  }
  return { type: (first >> 4) & 7, size, end, head };
}
