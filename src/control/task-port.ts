import type { TaskId } from "../base/ids.ts";

/** Work that outlives the turn that started it: listed, polled, stopped, reported when done (ENG-24). */
export interface TaskPort {
  start(task: TaskStart): TaskId;
  list(): readonly TaskInfo[];
  stop(id: TaskId): Promise<boolean>;
}

export interface TaskStart {
  readonly what: string;
  run(signal: AbortSignal): Promise<string>;
}

export interface TaskInfo {
  readonly id: TaskId;
  readonly what: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly startedAt: string;
}
