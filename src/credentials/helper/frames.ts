/**
 * Parts of an answer from the helper to the engine: a head, pieces of the body as they arrive, and an end or a failure.
 *
 * Plain HTTP is not enough: the runtime sends no head before the first byte of a body, and an answer that breaks off
 * at once may look unfinished. A stream without an end frame means that the helper crashed.
 */
export type FrameKind = "head" | "body" | "end" | "failure";

export interface Frame {
  readonly kind: FrameKind;
  readonly bytes: Uint8Array;
}

/** Longest accepted frame: more than a network read ever returns. */
export const FRAME_BYTES_MAX = 64 * 1_048_576;

const KINDS: readonly FrameKind[] = ["head", "body", "end", "failure"];
const PREFIX_BYTES = 5;

/** Encodes one frame: its kind, its length, its bytes. */
export function encodeFrame(kind: FrameKind, bytes: Uint8Array = new Uint8Array()): Uint8Array {
  const framed = new Uint8Array(PREFIX_BYTES + bytes.length);
  framed[0] = KINDS.indexOf(kind);
  new DataView(framed.buffer).setUint32(1, bytes.length);
  framed.set(bytes, PREFIX_BYTES);
  return framed;
}

/**
 * Reads the frames of a byte stream, wherever it is split. Ends with the stream; an incomplete frame is dropped.
 * @throws Error for invalid data.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : joined(rest, chunk);
    while (rest.length >= PREFIX_BYTES) {
      const kind = KINDS[rest[0] ?? KINDS.length];
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
      if (kind === undefined || length > FRAME_BYTES_MAX)
        throw new Error("the helper sent something that is not a frame");
      if (rest.length < PREFIX_BYTES + length) break;
      yield { kind, bytes: rest.subarray(PREFIX_BYTES, PREFIX_BYTES + length) };
      rest = rest.subarray(PREFIX_BYTES + length);
    }
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
