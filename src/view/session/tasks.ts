import type { TaskId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { isMissing } from "../follow.ts";
import type { UncertainEntry } from "./gaps/uncertain.ts";

/** A background task in its last known state (ENG-24). */
export type KnownTask = PayloadOf<"TaskChanged"> & UncertainEntry;

/** Running tasks that are listed; one that starts beyond that is left out. */
const RUNNING_TASKS_MAX = 256;
/** Ended tasks that are still listed. */
const ENDED_TASKS_MAX = 32;
/** Characters of the name and of the detail of a task. */
const TASK_CHARACTERS_MAX = 4_096;

/** Returns the tasks of a run, the oldest first, after one more event. */
export function tasksAfter(tasks: readonly KnownTask[], envelope: Envelope): readonly KnownTask[] {
  if (isMissing(envelope)) {
    return tasks.map((task) => (task.state === "running" ? { ...task, isUncertain: true } : task));
  }
  if (envelope.kind !== "TaskChanged") return tasks;
  const payload = shortTask(envelope.payload);
  const isKnown = tasks.some(({ taskId }) => taskId === payload.taskId);
  const running = tasks.filter(({ state }) => state === "running");
  if (!isKnown && payload.state === "running" && running.length >= RUNNING_TASKS_MAX) return tasks;
  const all = isKnown
    ? tasks.map((task) => (task.taskId === payload.taskId ? payload : task))
    : [...tasks, payload];
  const ended = all.filter(({ state }) => state !== "running");
  const dropped = new Set<TaskId>(ended.slice(0, -ENDED_TASKS_MAX).map(({ taskId }) => taskId));
  return all.filter(({ taskId }) => !dropped.has(taskId));
}

function shortTask({ what, detail, ...task }: KnownTask): KnownTask {
  const text = detail === undefined ? {} : { detail: shortened(detail, TASK_CHARACTERS_MAX) };
  return { ...task, what: shortened(what, TASK_CHARACTERS_MAX), ...text };
}
