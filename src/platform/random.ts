import type { Random } from "../base/world.ts";

/** The machine's randomness. */
export const hostRandom: Random = {
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  number: () => Math.random(),
};
