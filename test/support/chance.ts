/** Everything that a simulated run leaves to chance, from one seed: the same seed makes the same choices again. */
export interface Chance {
  /** At least 0 and below 1. */
  number(): number;
  /** A whole number at least 0 and below `below`. */
  below(below: number): number;
  /** True this often: 0.1 is one time in ten. */
  happens(probability: number): boolean;
  /** One of these. */
  of<Item>(items: readonly Item[]): Item;
  bytes(count: number): Uint8Array;
}

/** 32 bits of state, mixed so that neighbouring seeds have nothing in common (mulberry32). */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
  const number = () => next() / 2 ** 32;
  const below = (count: number) => Math.floor(number() * count);
  return {
    number,
    below,
    happens: (probability) => number() < probability,
    of(items) {
      const item = items[below(items.length)];
      if (item === undefined && items.length === 0) throw new Error("there is nothing to choose from");
      return item as (typeof items)[number];
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 255),
  };
}
