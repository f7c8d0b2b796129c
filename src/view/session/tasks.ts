import type { TaskId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";

/** A background task in its last known state (ENG-24). */
export type KnownTask = PayloadOf<"TaskChanged">;

/** Ended tasks that are still listed. */
const ENDED_TASKS_MAX = 32;

/** Returns the tasks of a run, the oldest first, after one more event. */
export function tasksAfter(tasks: readonly KnownTask[], envelope: Envelope): readonly KnownTask[] {
  if (envelope.kind !== "TaskChanged") return tasks;
  const { payload } = envelope;
  const isKnown = tasks.some(({ taskId }) => taskId === payload.taskId);
  const all = isKnown
    ? tasks.map((task) => (task.taskId === payload.taskId ? payload : task))
    : [...tasks, payload];
  const ended = all.filter(({ state }) => state !== "running");
  const gone = new Set<TaskId>(ended.slice(0, -ENDED_TASKS_MAX).map(({ taskId }) => taskId));
  return all.filter(({ taskId }) => !gone.has(taskId));
}
