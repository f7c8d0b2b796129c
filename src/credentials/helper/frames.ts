/**
 * How an answer goes from the helper to the engine: a head, pieces of the body as they come, and an end or a failure.
 *
 * HTTP alone would not do: the runtime sends no head before the first byte of a body, and an answer that breaks off at
 * once may not be told from one that goes on. A stream that ends without an end is the helper's crash.
 */
export type FrameKind = "head" | "body" | "end" | "failure";

export interface Frame {
  readonly kind: FrameKind;
  readonly bytes: Uint8Array;
}

/** Longest frame that is taken: more than a read of the network ever gives. */
export const FRAME_BYTES_MAX = 64 * 1_048_576;

const KINDS: readonly FrameKind[] = ["head", "body", "end", "failure"];
const PREFIX_BYTES = 5;

/** One frame as bytes: its kind, its length, itself. */
export function frame(kind: FrameKind, bytes: Uint8Array = new Uint8Array()): Uint8Array {
  const framed = new Uint8Array(PREFIX_BYTES + bytes.length);
  framed[0] = KINDS.indexOf(kind);
  new DataView(framed.buffer).setUint32(1, bytes.length);
  framed.set(bytes, PREFIX_BYTES);
  return framed;
}

/**
 * The frames of a stream of bytes, wherever it was cut. Ends where the stream ends; a part of a frame is dropped.
 * @throws Error for what is no frame.
 */
export async function* readFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : joined(rest, chunk);
    while (rest.length >= PREFIX_BYTES) {
      const kind = KINDS[rest[0] ?? KINDS.length];
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(1);
      if (kind === undefined || length > FRAME_BYTES_MAX) throw new Error("the helper sent what is no frame");
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
