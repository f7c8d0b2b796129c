/** Bytes of one message: an input with several images fits. */
export const INPUT_LINE_BYTES_MAX = 33_554_432;

/** A line of the input, or the report of one that was too long and was skipped. */
export type InputLine = { readonly kind: "line"; readonly bytes: Uint8Array } | { readonly kind: "too-long" };

const NEWLINE = 10;

/** Yields the lines of an input, however it was split; at most one line is held. An incomplete last line is dropped. */
export async function* readInputLines(
  input: AsyncIterable<Uint8Array>,
  bytesMax = INPUT_LINE_BYTES_MAX,
): AsyncGenerator<InputLine> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at);
      length += piece.length;
      yield length > bytesMax
        ? { kind: "too-long" }
        : { kind: "line", bytes: joined([...chunks, piece], length) };
      [chunks, length, from] = [[], 0, at + 1];
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    // Beyond the limit only its length is kept.
    if (length > bytesMax) chunks = [];
    else if (rest.length > 0) chunks.push(rest);
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
