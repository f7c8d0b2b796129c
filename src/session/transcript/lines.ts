/** Longest line of an export, in bytes: an event holds at most one result with its pictures. */
export const EXPORT_LINE_BYTES_MAX = 67_108_864;

/** A line of a file, counted from 1. */
export interface FileLine {
  readonly number: number;
  /** Its bytes, with the newline if there is one. */
  readonly bytes: Uint8Array;
  /** False for the end of a file that does not end in a newline. */
  readonly isWhole: boolean;
}

/** A line with more bytes than the limit. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
  readonly line: number;
  constructor(line: number) {
    super(`the line has more than ${EXPORT_LINE_BYTES_MAX} bytes`);
    this.line = line;
  }
}

const NEWLINE = 0x0a;

/** Cuts bytes, in pieces of any size, into lines; holds one line at a time. @throws LineTooLong. */
export async function* readFileLines(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number = EXPORT_LINE_BYTES_MAX,
): AsyncGenerator<FileLine> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    while (from < chunk.length) {
      const found = chunk.indexOf(NEWLINE, from);
      const to = found === -1 ? chunk.length : found + 1;
      // A copy: the reader of the file may reuse the buffer.
      parts.push(chunk.slice(from, to));
      size += to - from;
      if (size > bytesMax) throw new LineTooLong(number);
      from = to;
      if (found === -1) break;
      yield { number, bytes: joined(parts, size), isWhole: true };
      parts = [];
      size = 0;
      number += 1;
    }
  }
  if (size > 0) yield { number, bytes: joined(parts, size), isWhole: false };
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
