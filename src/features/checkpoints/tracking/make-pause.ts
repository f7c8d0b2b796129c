import type { Tree } from "../../../base/files/tree.ts";
import type { World } from "../../../base/world.ts";

/** Time of reading and hashing between two pauses; one large file takes longer. */
const SLICE_MS = 5;

export interface PauseDependencies {
  readonly world: Pick<World, "clock">;
  readonly tree: Tree;
}

/** Returns a function to call often: it lets other work run once enough was done, and throws the signal's reason. */
export function makePause({ tree, world }: PauseDependencies, signal: AbortSignal): () => Promise<void> {
  let sliceEnd = world.clock.monotonic() + SLICE_MS;
  return async () => {
    if (world.clock.monotonic() < sliceEnd) return;
    await tree.pause(signal);
    sliceEnd = world.clock.monotonic() + SLICE_MS;
  };
}
