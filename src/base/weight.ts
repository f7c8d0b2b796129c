/** Bytes of a value, a property or a list item beside its text. */
const OVERHEAD_BYTES = 32;
const BYTES_PER_CHARACTER = 2;

/**
 * Estimates the memory of plain data in bytes, rather too high: two for each character, 32 for each value and name.
 * Shared and circular values count once.
 */
export function weightOf(value: unknown): number {
  const open: unknown[] = [value];
  const seen = new Set<object>();
  let bytes = 0;
  while (open.length > 0) {
    const next = open.pop();
    bytes += OVERHEAD_BYTES;
    if (typeof next === "string") bytes += next.length * BYTES_PER_CHARACTER;
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (ArrayBuffer.isView(next)) {
      bytes += next.byteLength;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else {
      for (const [name, item] of Object.entries(next)) {
        bytes += OVERHEAD_BYTES + name.length * BYTES_PER_CHARACTER;
        open.push(item);
      }
    }
  }
  return bytes;
}
