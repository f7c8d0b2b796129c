import type { TaskState } from "./run-record.ts";
import type { ScheduledTask } from "./scheduled-task.ts";
import { nextDue } from "./when.ts";

/** Limit for counting missed runs; more are reported as "100+". */
const MISSED_COUNTED_MAX = 100;
/**
 * Limit for a clock that was set back: within it, nothing is repeated. If the clock is further behind the last
 * settled time, it was wrong before and would keep the task waiting for ever: that time is then ignored.
 */
export const SET_BACK_MS_MAX = 86_400_000;

export type DueDecision =
  | { readonly kind: "wait"; readonly dueMs: number | undefined }
  /** Waits; the settled time must first be set to now. */
  | { readonly kind: "reset"; readonly dueMs: number | undefined }
  | { readonly kind: "run" | "skip"; readonly dueMs: number; readonly missed?: string };

/** Decides whether a task runs now. A task that was due several times meanwhile runs once. */
export function decideDue(
  task: Pick<ScheduledTask, "when" | "createdAt" | "enabled">,
  state: TaskState,
  now: { readonly ms: number; readonly isRunning: boolean },
): DueDecision {
  if (!task.enabled) return { kind: "wait", dueMs: undefined };
  // A one-time task runs once, even if the clock was far ahead when it ran.
  const { settled_ms: settled } = state;
  if (task.when.kind === "at" && settled !== undefined && settled >= task.when.ms)
    return { kind: "wait", dueMs: undefined };
  const createdMs = Date.parse(task.createdAt);
  const after = settled ?? createdMs;
  if (after - now.ms > SET_BACK_MS_MAX)
    return { kind: "reset", dueMs: nextDue(task.when, now.ms, createdMs) };
  const dueMs = nextDue(task.when, after, createdMs);
  if (dueMs === undefined || dueMs > now.ms) return { kind: "wait", dueMs };
  const missed = missedBetween(task, dueMs, now.ms);
  const missedText =
    missed === 0 ? {} : { missed: missed > MISSED_COUNTED_MAX ? `${MISSED_COUNTED_MAX}+` : String(missed) };
  return { kind: now.isRunning ? "skip" : "run", dueMs, ...missedText };
}

function missedBetween(
  { when, createdAt }: Pick<ScheduledTask, "when" | "createdAt">,
  dueMs: number,
  nowMs: number,
) {
  let count = 0;
  let at: number | undefined = dueMs;
  while (count <= MISSED_COUNTED_MAX) {
    at = nextDue(when, at, Date.parse(createdAt));
    if (at === undefined || at > nowMs) break;
    count += 1;
  }
  return count;
}
