import { readdirSync, readFileSync } from "node:fs";
import { treeOf, unlessEnded } from "./processes.ts";

/** Times that each thread was given the processor after it had waited for something, by its folder in /proc. */
export type WakeUps = ReadonlyMap<string, number>;

/** Counts the wake-ups of all threads of a process and of its descendants, since each began. */
export function wakeUpsByThread(root: number): WakeUps {
  const counts = new Map<string, number>();
  for (const process of treeOf(root))
    for (const thread of unlessEnded(() => readdirSync(`/proc/${process}/task`)) ?? []) {
      const folder = `/proc/${process}/task/${thread}`;
      const status = unlessEnded(() => readFileSync(`${folder}/status`, "latin1"));
      if (status === undefined) continue;
      counts.set(folder, Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? Number.NaN));
    }
  return counts;
}

/** Returns the wake-ups between two counts: of threads in both, and of those that began in between. */
export function addedWakeUps(before: WakeUps = new Map(), after: WakeUps = new Map()): number {
  let added = 0;
  for (const [thread, count] of after) added += count - (before.get(thread) ?? 0);
  return added;
}
