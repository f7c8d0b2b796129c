import type { GramSet } from "./grams.ts";
import { mixed } from "./grams.ts";

/** Bits for each piece of text, and positions that are set for it: about one in 40 of absent pieces passes. */
const BITS_PER_GRAM = 8;
const POSITIONS = 4;
/** Filters have a multiple of so many bytes, so that their size says little. */
const STEP_BYTES = 256;

/** Makes a Bloom filter of a set: whatever is in the set passes, and little else. */
export function makeGramFilter(grams: GramSet): Uint8Array {
  const steps = Math.max(1, Math.ceil((grams.size * BITS_PER_GRAM) / 8 / STEP_BYTES));
  const filter = new Uint8Array(steps * STEP_BYTES);
  const bits = filter.length * 8;
  for (const hash of grams) {
    const step = stepOf(hash);
    for (let count = 0, at = hash; count < POSITIONS; count++, at = (at + step) >>> 0) {
      const bit = at % bits;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return filter;
}

/** Returns false if the set of a filter lacks one of these hashes. */
export function passesFilter(filter: Uint8Array, hashes: readonly number[]): boolean {
  const bits = filter.length * 8;
  if (bits === 0) return true;
  for (const hash of hashes) {
    const step = stepOf(hash);
    for (let count = 0, at = hash; count < POSITIONS; count++, at = (at + step) >>> 0) {
      const bit = at % bits;
      if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
  }
  return true;
}

function stepOf(hash: number): number {
  return mixed(hash ^ 0x5b_d1_e9_95) | 1;
}
