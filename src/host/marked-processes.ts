import { readdirSync } from "node:fs";
import { codeOf } from "../base/world.ts";
import { carries } from "./process-environment.ts";

const LOOK_AGAIN_MS = 5;
/** Time limit for processes to disappear after SIGKILL. */
const GONE_MS_MAX = 1_000;

/** See `Machine.endMarked`. One that starts another while it is killed is met by the next look. */
export async function endMarked(name: string, value: string): Promise<number> {
  const ended = new Set<number>();
  const until = performance.now() + GONE_MS_MAX;
  for (let living = marked(name, value); living.length > 0; living = marked(name, value)) {
    for (const pid of living) {
      kill(pid);
      ended.add(pid);
    }
    if (performance.now() >= until) break;
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  return ended.size;
}

function marked(name: string, value: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && carries(pid, `${name}=${value}`));
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== "ESRCH" && code !== "EPERM") throw thrown; // gone already, or another user's
  }
}
