import { readFileSync } from "node:fs";

/** Below this the runtime crashes or waits in vain for a thread. The launcher `cinch` has the same number. */
const PROCESSES_MIN = 24;

/**
 * Returns a sentence if this user may run too few processes and threads for cinch to start; undefined if there are
 * enough, or the system does not say. The limit does not bind root.
 *
 * The launcher checks before it starts the runtime. A compiled program has no launcher: here its runtime runs already,
 * which aborts if it may have one thread only.
 */
export function processLimitProblem(limits = readLimits(), user = process.getuid?.()): string | undefined {
  const soft = /^Max processes +(\d+) /mu.exec(limits)?.[1];
  if (soft === undefined || Number(soft) >= PROCESSES_MIN || user === 0) return undefined;
  return `cinch: you may run only ${soft} processes and threads (ulimit -u), and cinch needs ${PROCESSES_MIN} at least. Raise the limit and start it again: ulimit -u 256`;
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return ""; // a system without /proc
  }
}
