import type { Subprocess } from "bun";

/** A bench that hangs is ended, with all that it started. */
export const BENCH_MS_MAX = 45 * 60_000;

const running = new Set<Subprocess>();

/** Remembers a process until it ends, so that none outlives the bench. */
export function track<Child extends Subprocess>(child: Child): Child {
  running.add(child);
  void child.exited.finally(() => running.delete(child));
  return child;
}

export function endAll(): void {
  for (const child of running) child.kill("SIGKILL");
}
