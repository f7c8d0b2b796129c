import { randomFillSync } from "node:crypto";
import type { Random } from "../base/world.ts";

/** The machine's randomness. */
export const hostRandom: Random = {
  bytes: (count) => randomFillSync(new Uint8Array(count)),
  number: () => Math.random(),
};
