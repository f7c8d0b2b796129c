import { readdirSync } from "node:fs";
import type { MarkedProcesses } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { environmentHasEntry } from "./process-environment.ts";

const LOOK_AGAIN_MS = 5;
/** Time for processes to disappear after SIGKILL. */
const GONE_MS_MAX = 1_000;

/**
 * Implements `Machine.endMarked`. A process that starts another while it is killed is found by the next scan.
 * @param signal sends SIGKILL to one process.
 */
export async function endMarked(name: string, value: string, signal = kill): Promise<MarkedProcesses> {
  const killed = new Set<number>();
  const until = performance.now() + GONE_MS_MAX;
  let living = marked(name, value);
  while (living.length > 0) {
    for (const pid of living) {
      signal(pid);
      killed.add(pid);
    }
    if (performance.now() >= until) break;
    await Bun.sleep(LOOK_AGAIN_MS);
    living = marked(name, value);
  }
  return { killed: [...killed], living };
}

function marked(name: string, value: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && environmentHasEntry(pid, `${name}=${value}`));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ESRCH" && code !== "EPERM") throw thrown; // already gone, or another user's
  }
}
