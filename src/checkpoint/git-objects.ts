import { createHash } from "node:crypto";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import type { Files } from "../base/world.ts";
import { hex, offsetVarint } from "./git-index.ts";

/** Larger objects are not read. */
const OBJECT_BYTES_MAX = 64 * 1024 * 1024;
const INDEX_BYTES_MAX = 512 * 1024 * 1024;
const DELTAS_MAX = 4_096;
const OBJECT_HEADER_BYTES_MAX = 32;
const [OFFSET_DELTA, REF_DELTA, BLOB] = [6, 7, 3];

interface Raw {
  readonly type: number;
  readonly content: Uint8Array;
}

interface Pack {
  readonly path: string;
  readonly size: number;
  readonly index: Uint8Array;
  readonly objects: number;
}

/**
 * Files of a repository as git has stored them, read from its files directly: git is not run, so nothing that the
 * repository configures can be. Other repositories that it names are not followed.
 */
export class GitObjects {
  readonly #files: Files;
  readonly #folder: string;
  #packs: readonly Pack[] | undefined;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** The content of a file; undefined where it is not there, not readable, or not what its name says. */
  async blob(object: string): Promise<Uint8Array | undefined> {
    try {
      const raw = await this.#find(object, 0);
      return raw?.type === BLOB && blobName(raw.content) === object ? raw.content : undefined;
    } catch {
      return undefined; // damaged: the same as missing
    }
  }

  async #find(object: string, depth: number): Promise<Raw | undefined> {
    return (await this.#loose(object)) ?? (await this.#packed(object, depth));
  }

  async #loose(object: string): Promise<Raw | undefined> {
    const path = join(this.#folder, object.slice(0, 2), object.slice(2));
    if ((await this.#files.lstat(path))?.kind !== "file") return undefined;
    const whole = inflate(await this.#files.read(path, OBJECT_BYTES_MAX), OBJECT_BYTES_MAX);
    const end = whole.indexOf(0);
    if (end < 0 || end > OBJECT_HEADER_BYTES_MAX) return undefined;
    const [kind = ""] = new TextDecoder().decode(whole.subarray(0, end)).split(" ");
    return { type: kind === "blob" ? BLOB : 0, content: whole.subarray(end + 1) };
  }

  async #packed(object: string, depth: number): Promise<Raw | undefined> {
    this.#packs ??= await this.#openPacks();
    for (const pack of this.#packs) {
      const offset = offsetOf(pack, object);
      if (offset !== undefined) return await this.#at(pack, offset, depth);
    }
    return undefined;
  }

  async #openPacks(): Promise<readonly Pack[]> {
    const folder = join(this.#folder, "pack");
    if ((await this.#files.stat(folder)) === undefined) return [];
    const packs: Pack[] = [];
    for (const { name } of await this.#files.list(folder)) {
      if (!name.endsWith(".idx")) continue;
      const index = await this.#files.read(join(folder, name), INDEX_BYTES_MAX);
      const path = join(folder, `${name.slice(0, -4)}.pack`);
      const size = (await this.#files.stat(path))?.size;
      const view = viewOf(index);
      if (size === undefined || index.length < 8 + 1024 || view.getUint32(0) !== 0xff74_4f63) continue;
      packs.push({ path, size, index, objects: view.getUint32(8 + 255 * 4) });
    }
    return packs;
  }

  async #at(pack: Pack, offset: number, depth: number): Promise<Raw | undefined> {
    if (depth > DELTAS_MAX) return undefined;
    const head = await this.#files.readRange(pack.path, offset, 64);
    const [first = 0] = head;
    const type = (first >> 4) & 7;
    let [size, at, scale] = [first & 15, 1, 16];
    for (let byte = first; (byte & 128) !== 0; at += 1) {
      byte = head[at] ?? 0;
      size += (byte & 127) * scale;
      scale *= 128;
    }
    if (size > OBJECT_BYTES_MAX) return undefined;
    if (type === OFFSET_DELTA) {
      const back = offsetVarint(head, at);
      if (back === undefined || back.value <= 0 || back.value > offset) return undefined;
      const base = await this.#at(pack, offset - back.value, depth + 1);
      return base && applied(base, await this.#inflated(pack, offset + back.end, size));
    }
    if (type === REF_DELTA) {
      const base = await this.#find(hex(head, at), depth + 1);
      return base && applied(base, await this.#inflated(pack, offset + at + 20, size));
    }
    return { type, content: await this.#inflated(pack, offset + at, size) };
  }

  /** What begins at a place of a pack; how long it is there is known only when it has been read. */
  async #inflated(pack: Pack, from: number, size: number): Promise<Uint8Array> {
    // Deflate makes what cannot be made smaller larger by five bytes for each 16 KB, at most.
    const length = Math.min(pack.size - from, size + Math.ceil(size / 1024) + 64);
    const content = inflate(await this.#files.readRange(pack.path, from, length), Math.max(1, size));
    if (content.length !== size) throw new Error("an object of another length than its pack says");
    return content;
  }
}

/** The name that git gives a file with this content. */
export function blobName(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

function inflate(bytes: Uint8Array, bytesMax: number): Uint8Array {
  return inflateSync(bytes, { maxOutputLength: bytesMax });
}

function offsetOf({ index, objects }: Pack, object: string): number | undefined {
  const view = viewOf(index);
  const first = Number.parseInt(object.slice(0, 2), 16);
  let low = first === 0 ? 0 : view.getUint32(8 + (first - 1) * 4);
  let high = view.getUint32(8 + first * 4);
  const names = 8 + 1024;
  while (low < high) {
    const middle = (low + high) >> 1;
    const name = hex(index, names + middle * 20);
    if (name === object) return placeOf(view, names + objects * 24 + middle * 4, names + objects * 28);
    if (name < object) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

function placeOf(view: DataView, at: number, large: number): number {
  const place = view.getUint32(at);
  if (place < 0x8000_0000) return place;
  return Number(view.getBigUint64(large + (place - 0x8000_0000) * 8));
}

function applied(base: Raw, delta: Uint8Array): Raw | undefined {
  const from = littleVarint(delta, 0);
  const to = littleVarint(delta, from.end);
  if (from.value !== base.content.length || to.value > OBJECT_BYTES_MAX) return undefined;
  const content = new Uint8Array(to.value);
  let [at, filled] = [to.end, 0];
  while (at < delta.length) {
    const order = delta[at] ?? 0;
    at += 1;
    if ((order & 128) === 0) {
      if (order === 0 || filled + order > content.length) return undefined;
      content.set(delta.subarray(at, at + order), filled);
      at += order;
      filled += order;
      continue;
    }
    let [offset, size] = [0, 0];
    for (let bit = 0; bit < 4; bit += 1) if (order & (1 << bit)) offset += (delta[at++] ?? 0) * 256 ** bit;
    for (let bit = 0; bit < 3; bit += 1) if (order & (16 << bit)) size += (delta[at++] ?? 0) * 256 ** bit;
    if (size === 0) size = 0x10000;
    if (offset + size > base.content.length || filled + size > content.length) return undefined;
    content.set(base.content.subarray(offset, offset + size), filled);
    filled += size;
  }
  return filled === content.length ? { type: base.type, content } : undefined;
}

function littleVarint(bytes: Uint8Array, from: number): { readonly value: number; readonly end: number } {
  let [at, value, scale] = [from, 0, 1];
  for (let byte = 128; (byte & 128) !== 0 && at < bytes.length; at += 1) {
    byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    scale *= 128;
  }
  return { value, end: at };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
