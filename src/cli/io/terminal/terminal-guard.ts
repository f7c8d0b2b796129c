import { readlinkSync } from "node:fs";
import type { Clock } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { watchdog } from "../../../platform/processes/watchdog.ts";

/** The first screen comes before a process that is needed only when this one is killed. */
const START_MS = 100;

/**
 * Restores the terminal of standard input for the shell if this process is killed (Linux). Disposing it stops the
 * guard. A kill within the first 100 ms leaves the terminal unrestored.
 */
export function guardTerminal(clock: Pick<Clock, "timer">): Disposable {
  let guard: Disposable | undefined;
  const start = clock.timer(START_MS, () => {
    const path = terminalPath();
    guard = path === undefined ? undefined : watchdog().guardTerminal(path);
  });
  return {
    [Symbol.dispose]() {
      start[Symbol.dispose]();
      guard?.[Symbol.dispose]();
    },
  };
}

function terminalPath(): string | undefined {
  try {
    return readlinkSync("/proc/self/fd/0");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined; // no Linux
    throw thrown;
  }
}
