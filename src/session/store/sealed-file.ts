import type { Sealer } from "./seal.ts";
import { openBytes, SEAL_BYTES, SealBroken, sealBytes } from "./seal.ts";

/**
 * A file of sealed pieces, which can be appended to and read from any offset (SES-04).
 *
 * It begins with a mark and a random id. Each piece is its length in four bytes, then its sealed bytes, bound to the id
 * and its number: pieces of another file, or in another order, do not open. Missing pieces at the end are not detected.
 */
const MARK = new TextEncoder().encode("cinch sealed 1\n");
const ID_BYTES = 16;
const HEADER_BYTES = MARK.length + ID_BYTES;
const LENGTH_BYTES = 4;
/** Content of one piece: reading one byte opens this much. */
export const PIECE_BYTES_MAX = 65_536;

/** Reads at most `length` bytes from `offset` of the file as it is on the disk. */
export type ReadSealed = (offset: number, length: number) => Promise<Uint8Array>;

/** End of a file that is being written: appending needs the number of its pieces. */
export interface SealedEnd {
  readonly id: Uint8Array;
  readonly pieces: number;
}

/** Returns the bytes to write: with a header for a new file; else to be appended. */
export function sealPieces(
  sealer: Sealer,
  content: Uint8Array,
  to: "new file" | SealedEnd,
): { readonly bytes: Uint8Array; readonly end: SealedEnd } {
  const { id, pieces: before } = to === "new file" ? { id: sealer.random(ID_BYTES), pieces: 0 } : to;
  let pieces = before;
  const parts: Uint8Array[] = to === "new file" ? [MARK, id] : [];
  for (let from = 0; from < content.length; from += PIECE_BYTES_MAX) {
    const sealed = sealBytes(sealer, pieceText(id, pieces), content.subarray(from, from + PIECE_BYTES_MAX));
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, sealed.length);
    parts.push(length, sealed);
    pieces += 1;
  }
  return { bytes: Buffer.concat(parts), end: { id, pieces } };
}

interface Piece {
  readonly number: number;
  /** Offset and number of its sealed bytes in the file. */
  readonly at: number;
  readonly sealedBytes: number;
  /** Offset of its content in the content of the file. */
  readonly from: number;
}

/** A sealed file that was opened for reading. */
export class SealedFile {
  readonly #key: Uint8Array;
  readonly #read: ReadSealed;
  readonly #id: Uint8Array;
  readonly #pieces: readonly Piece[];
  readonly size: number;

  private constructor(key: Uint8Array, read: ReadSealed, layout: Layout) {
    this.#key = key;
    this.#read = read;
    this.#id = layout.id;
    this.#pieces = layout.pieces;
    this.size = layout.size;
  }

  /** Opens a file; undefined if it is no sealed one. An incomplete last piece is left out. */
  static async open(key: Uint8Array, read: ReadSealed): Promise<SealedFile | undefined> {
    const header = await read(0, HEADER_BYTES);
    if (header.length < HEADER_BYTES || MARK.some((byte, at) => header[at] !== byte)) return undefined;
    return new SealedFile(key, read, await layoutOf(header.slice(MARK.length), read));
  }

  get end(): SealedEnd {
    return { id: this.#id, pieces: this.#pieces.length };
  }

  /**
   * Returns at most `length` bytes of the content from `offset`; fewer at the end.
   * @throws SealBroken if a piece was changed, or was sealed under another key.
   */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (const piece of this.#pieces) {
      const { number, at, from, sealedBytes } = piece;
      const bytes = sealedBytes - SEAL_BYTES;
      if (from + bytes <= offset) continue;
      if (from >= offset + length) break;
      const sealed = await this.#read(at, sealedBytes);
      if (sealed.length < sealedBytes) throw new SealBroken("it ends in the middle of a piece");
      const content = openBytes(this.#key, pieceText(this.#id, number), sealed);
      parts.push(content.subarray(Math.max(0, offset - from), offset + length - from));
    }
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : new Uint8Array(Buffer.concat(parts));
  }
}

interface Layout {
  readonly id: Uint8Array;
  readonly pieces: readonly Piece[];
  readonly size: number;
}

async function layoutOf(id: Uint8Array, read: ReadSealed): Promise<Layout> {
  const pieces: Piece[] = [];
  let [at, size] = [HEADER_BYTES, 0];
  while (true) {
    // The length, and one byte of the end before it, show whether the piece exists.
    const head = await read(at, LENGTH_BYTES);
    if (head.length < LENGTH_BYTES) return { id, pieces, size };
    const sealedBytes = new DataView(head.buffer, head.byteOffset).getUint32(0);
    if (sealedBytes < SEAL_BYTES || sealedBytes > PIECE_BYTES_MAX + SEAL_BYTES) {
      throw new SealBroken("a length in it was changed");
    }
    const last = await read(at + LENGTH_BYTES + sealedBytes - 1, 1);
    if (last.length === 0) return { id, pieces, size };
    pieces.push({ number: pieces.length, at: at + LENGTH_BYTES, sealedBytes, from: size });
    at += LENGTH_BYTES + sealedBytes;
    size += sealedBytes - SEAL_BYTES;
  }
}

function pieceText(id: Uint8Array, number: number): string {
  return ["cinch piece v1", Buffer.from(id).toString("hex"), number].join("\0");
}
