import { join } from "node:path";
import { SILENT_LOG } from "../../base/log.ts";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Delay before a longer run searches for leftovers of killed runs, after its start. */
const SWEEP_AFTER_MS = 2_000;

export interface Leftovers {
  /** Sweeps, unless that was done or left out. */
  sweep(): Promise<void>;
  /** Leaves the sweep to another process of cinch, which has run longer. */
  leave(): void;
}

/**
 * Starts one sweep that removes leftovers of killed runs from the temporary folder and from their workspaces, off
 * the start path: after two seconds, or at the end of a shorter run. `env` is the process's own: it names cinch's
 * state folder.
 */
export function sweepLater(clock: Pick<Clock, "timer">, env: Environment): Leftovers {
  let sweeping: Promise<void> | undefined;
  const sweep = () => {
    sweeping ??= sweepNow(env);
    return sweeping;
  };
  clock.timer(SWEEP_AFTER_MS, () => void sweep().catch(() => undefined)); // its other caller reports it
  return {
    sweep,
    leave() {
      sweeping ??= Promise.resolve();
    },
  };
}

async function sweepNow(env: Environment): Promise<void> {
  const { sweepTemporaryFolders } = await import("../../platform/files/temporary.ts");
  sweepTemporaryFolders();
  await sweepWorkspaces(env);
}

/**
 * Removes the empty entries that killed runs mounted over. Those that cannot be removed are logged by the next run with
 * a sandbox.
 */
async function sweepWorkspaces(env: Environment): Promise<void> {
  const { stateFolder } = await import("../environment.ts");
  const state = stateFolder(env);
  if (state === undefined) return;
  const folder = join(state, "sandboxes");
  const { hostFiles } = await import("../../platform/files/files.ts");
  try {
    if ((await hostFiles.stat(folder)) === undefined) return;
    const { hostMachine } = await import("../../platform/machine.ts");
    const { removeLeftovers } = await import("../../guard/sandbox/sandbox-leftovers.ts");
    await removeLeftovers({ files: hostFiles, machine: hostMachine(), log: SILENT_LOG }, folder);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown; // a failing disk is no business of this run
  }
}
