import { join } from "node:path";
import { SILENT } from "../../base/log.ts";
import type { Clock } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** When a run that lasts looks for what killed runs left: its start is over by then. */
const SWEEP_AFTER_MS = 2_000;

/**
 * Has one sweep remove what killed runs left in the temporary folder and in their workspaces, off the way of the start:
 * after two seconds, or at the end of a shorter run. `env` is the process's own: it says where cinch keeps its state.
 */
export function sweepLater(
  clock: Pick<Clock, "timer">,
  env: Environment,
): { readonly sweep: () => Promise<void> } {
  let sweeping: Promise<void> | undefined;
  const sweep = () => {
    sweeping ??= sweepNow(env);
    return sweeping;
  };
  clock.timer(SWEEP_AFTER_MS, () => void sweep().catch(() => undefined)); // told by its other caller
  return { sweep };
}

async function sweepNow(env: Environment): Promise<void> {
  const { sweepTemporaryFolders } = await import("../../platform/files/temporary.ts");
  sweepTemporaryFolders();
  await sweepWorkspaces(env);
}

/** Removes the empty places that killed runs mounted over. What cannot be removed is logged by the next run with a sandbox. */
async function sweepWorkspaces(env: Environment): Promise<void> {
  const { stateOf } = await import("../environment.ts");
  const state = stateOf(env);
  if (state === undefined) return;
  const folder = join(state, "sandboxes");
  const { hostFiles } = await import("../../platform/files/files.ts");
  try {
    if ((await hostFiles.stat(folder)) === undefined) return;
    const { hostMachine } = await import("../../platform/machine.ts");
    const { removeLeftovers } = await import("../../guard/sandbox/sandbox-leftovers.ts");
    await removeLeftovers({ files: hostFiles, machine: hostMachine(), log: SILENT }, folder);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown; // the disk refuses: this run is about something else
  }
}
