import type { Clock } from "../base/world.ts";

/** When a run that lasts looks for what killed runs left: its start is over by then. */
const SWEEP_AFTER_MS = 2_000;

/**
 * Has one sweep remove what killed runs left in the temporary folder, off the way of the start: after two seconds, or at
 * the end of a shorter run.
 */
export function sweepLater(clock: Pick<Clock, "timer">): { readonly sweep: () => Promise<void> } {
  let sweeping: Promise<void> | undefined;
  const sweep = () => {
    sweeping ??= sweepNow();
    return sweeping;
  };
  clock.timer(SWEEP_AFTER_MS, () => void sweep().catch(() => undefined)); // told by its other caller
  return { sweep };
}

async function sweepNow(): Promise<void> {
  const { sweepTemporaryFolders } = await import("../host/temporary.ts");
  sweepTemporaryFolders();
}
