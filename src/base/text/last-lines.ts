/** Limits of a text's end. */
export interface EndLimits {
  readonly linesMax: number;
  readonly bytesMax: number;
}

/** Returns the end of a text within both limits, cut between characters. A line feed at its end adds no line. */
export function lastLines(text: string, { linesMax, bytesMax }: EndLimits): string {
  let from = text.length;
  let end = text.endsWith("\n") ? text.length - 1 : text.length;
  const first = Math.max(0, text.length - bytesMax); // a character has at least one byte
  for (let lines = 0; lines < linesMax && end >= 0 && from > first; lines += 1) {
    const lineFeed = end === 0 ? -1 : text.lastIndexOf("\n", end - 1);
    from = lineFeed + 1;
    end = lineFeed;
  }
  from = Math.max(from, first);
  const bytes = new TextEncoder().encode(text.slice(from));
  if (bytes.length <= bytesMax) return text.slice(from).toWellFormed();
  let start = bytes.length - bytesMax;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}
