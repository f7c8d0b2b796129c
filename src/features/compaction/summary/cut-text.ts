import { byteLength, encode, grouped, wellFormed } from "../../../base/text/text.ts";

/**
 * Returns a text within a number of bytes of UTF-8: whole, or its beginning and end with `describeCut` between them,
 * cut between characters. If there is no space for any of it, `describeCut` is cut too.
 */
export function headAndTail(
  text: string,
  bytesMax: number,
  describeCut: (missing: number) => string = leftOut,
): string {
  const whole = wellFormed(text);
  if (whole.length * 3 <= bytesMax || byteLength(whole) <= bytesMax) return whole;
  const bytes = encode(whole);
  const marker = `\n${describeCut(bytes.length)}\n`;
  const room = bytesMax - byteLength(marker);
  if (room <= 0) return withinBytes(describeCut(bytes.length), bytesMax);
  const headEnd = characterStart(bytes, Math.ceil(room / 2), -1);
  const tailStart = characterStart(bytes, bytes.length - Math.floor(room / 2), 1);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const between = `\n${describeCut(tailStart - headEnd)}\n`;
  return decoder.decode(bytes.subarray(0, headEnd)) + between + decoder.decode(bytes.subarray(tailStart));
}

/** Returns the beginning of a text, within a number of bytes. */
export function withinBytes(text: string, bytesMax: number): string {
  const whole = wellFormed(text);
  if (whole.length * 3 <= bytesMax || byteLength(whole) <= bytesMax) return whole;
  const bytes = encode(whole);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    bytes.subarray(0, characterStart(bytes, Math.max(0, bytesMax), -1)),
  );
}

function leftOut(missing: number): string {
  return `[… ${grouped(missing)} bytes left out …]`;
}

function characterStart(bytes: Uint8Array, from: number, step: 1 | -1): number {
  let at = Math.min(Math.max(from, 0), bytes.length);
  while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
  return at;
}
