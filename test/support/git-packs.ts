import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { FileInfo, Files, OpenFile } from "../../src/base/world.ts";
import { PathMoved } from "../../src/base/world.ts";
import { hostFiles } from "../../src/platform/files/files.ts";

/** One object of a pack that is made by hand, and need not be valid. */
export interface PackedObject {
  /** Twenty bytes in hexadecimal. */
  readonly name: string;
  /** 0 to 7: 3 is a file, 6 a difference to what stands further up, 7 one to what is named. */
  readonly type: number;
  /** The inflated content. */
  readonly data: Uint8Array;
  /** The length that its head tells. */
  readonly size?: number;
  /** For an offset delta: index of the base object. */
  readonly base?: number;
  /** For a reference delta: name of the base object. */
  readonly baseName?: string;
}

/** A pack and its index, as git would lay them out. */
export function packOf(objects: readonly PackedObject[]): { readonly pack: Buffer; readonly index: Buffer } {
  const offsets: number[] = [];
  const parts: Buffer[] = [Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")];
  let at = 12;
  for (const { type, data, size = data.length, base = 0, baseName } of objects) {
    offsets.push(at);
    const link =
      type === 6
        ? farBack(at - (offsets[base] ?? at))
        : Buffer.from(type === 7 ? (baseName ?? "") : "", "hex");
    const whole = Buffer.concat([headOf(type, size), link, deflateSync(data)]);
    parts.push(whole);
    at += whole.length;
  }
  const named = objects.map(({ name }, index) => ({ name, offset: offsets[index] ?? 0 }));
  return { pack: Buffer.concat(parts), index: indexOf(named) };
}

function indexOf(named: readonly { readonly name: string; readonly offset: number }[]): Buffer {
  const sorted = named.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const fan = Array.from(
    { length: 256 },
    (_, byte) => sorted.filter(({ name }) => Number.parseInt(name.slice(0, 2), 16) <= byte).length,
  );
  const names = Buffer.from(sorted.map(({ name }) => name).join(""), "hex");
  const checks = Buffer.alloc(4 * sorted.length);
  const head = Buffer.from("\xfftOc\0\0\0\x02", "latin1");
  return Buffer.concat([head, words(fan), names, checks, words(sorted.map(({ offset }) => offset))]);
}

function words(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, index * 4);
  return bytes;
}

function headOf(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes.map((byte, at) => (at < bytes.length - 1 ? byte | 128 : byte)));
}

/** Encodes an offset as packs do. */
function farBack(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift((rest % 128) | 128);
  }
  return Buffer.from(bytes);
}

/** A difference that copies the whole of what it is one to, and appends a text. */
export function appending(baseLength: number, text: string): Buffer {
  const added = Buffer.from(text);
  const copy: number[] = [];
  for (let at = 0; at < baseLength; at += 0xffff) {
    const length = Math.min(0xffff, baseLength - at);
    copy.push(0xbf, at & 255, (at >> 8) & 255, (at >> 16) & 255, at >>> 24, length & 255, length >> 8);
  }
  const order = added.length === 0 ? [] : [added.length];
  return Buffer.concat([
    varint(baseLength),
    varint(baseLength + added.length),
    Buffer.from([...copy, ...order]),
    added,
  ]);
}

export function varint(value: number): Buffer {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.push(rest % 128);
  return Buffer.from(bytes.map((byte, at) => (at < bytes.length - 1 ? byte | 128 : byte)));
}

export function objectName(content: Uint8Array): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}

/** A disk that holds some files and nothing else, and counts what is read of them. */
export class FilesInMemory {
  readonly #held: ReadonlyMap<string, Uint8Array>;
  readonly #onRead: () => void;
  bytesRead = 0;

  constructor(held: ReadonlyMap<string, Uint8Array>, onRead: () => void = () => undefined) {
    this.#held = held;
    this.#onRead = onRead;
  }

  get files(): Files {
    return {
      ...hostFiles,
      openResolved: (path) => Promise.resolve().then(() => this.#open(path)),
      listResolved: (folder) => {
        const inside = [...this.#held.keys()].filter((path) => path.startsWith(`${folder}/`));
        return Promise.resolve(
          inside.map((path) => ({ name: path.slice(folder.length + 1), kind: "file" as const })),
        );
      },
    };
  }

  #open(path: string): OpenFile {
    const bytes = this.#held.get(path);
    if (bytes === undefined) throw new PathMoved(path);
    const info: FileInfo = { kind: "file", size: bytes.length, mode: 0o644, modifiedMs: 0, identity: path };
    return {
      info,
      read: (offset, length) => {
        this.#onRead();
        const part = bytes.slice(offset, offset + length);
        this.bytesRead += part.length;
        return Promise.resolve(part);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
}
