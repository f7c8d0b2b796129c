/** Limit for the encoded length of a number. */
const NUMBER_BYTES_MAX = 8;

/** Applies a delta to its base; returns undefined if it does not fit, or yields more than `bytesMax`. */
export function applyDelta(base: Uint8Array, delta: Uint8Array, bytesMax: number): Uint8Array | undefined {
  const from = littleVarint(delta, 0);
  const to = littleVarint(delta, from?.end ?? 0);
  if (from === undefined || to === undefined) return undefined;
  if (from.value !== base.length || to.value > bytesMax) return undefined;
  const content = new Uint8Array(to.value);
  let [at, filled] = [to.end, 0];
  while (at < delta.length) {
    const order = delta[at] ?? 0;
    at += 1;
    if ((order & 128) === 0) {
      if (order === 0 || filled + order > content.length || at + order > delta.length) return undefined;
      content.set(delta.subarray(at, at + order), filled);
      at += order;
      filled += order;
      continue;
    }
    let [offset, size] = [0, 0];
    for (let bit = 0; bit < 4; bit += 1) if (order & (1 << bit)) offset += (delta[at++] ?? 0) * 256 ** bit;
    for (let bit = 0; bit < 3; bit += 1) if (order & (16 << bit)) size += (delta[at++] ?? 0) * 256 ** bit;
    if (size === 0) size = 0x10000;
    if (offset + size > base.length || filled + size > content.length) return undefined;
    content.set(base.subarray(offset, offset + size), filled);
    filled += size;
  }
  return filled === content.length ? content : undefined;
}

interface Read {
  readonly value: number;
  readonly end: number;
}

function littleVarint(bytes: Uint8Array, from: number): Read | undefined {
  let [value, scale] = [0, 1];
  for (let at = from; at < from + NUMBER_BYTES_MAX; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    value += (byte & 127) * scale;
    scale *= 128;
    if ((byte & 128) === 0) return { value, end: at + 1 };
  }
  return undefined;
}
