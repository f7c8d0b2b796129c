import type { Child, Spawn } from "../../base/world.ts";

export interface TrackedSpawn {
  readonly spawn: Spawn;
  /** Kills, without waiting, every process of every remaining child: for the very end of our own process. */
  killAll(): void;
}

/**
 * Tracks the children of this process. None outlives it, even if it is forced to end before their owners could end
 * them (REL-03).
 */
export function trackedSpawn(spawn: Spawn): TrackedSpawn {
  const living = new Set<Child>();
  return {
    spawn(options) {
      const child = spawn(options);
      living.add(child);
      // `exited` never rejects. A child's leftovers are ended by its owner or at the end.
      void child.exited.then(() => {
        if (!child.leftBehind()) living.delete(child);
      });
      return child;
    },
    killAll() {
      for (const child of living) child.kill("SIGKILL");
    },
  };
}
