import type { TaskId } from "../base/ids.ts";
import type { PayloadOf } from "../protocol/events/events.ts";

export type TaskChange = PayloadOf<"TaskChanged">;
/** A background run as it is listed. */
export interface RunInfo {
  readonly id: TaskId;
  readonly what: string;
  readonly state: TaskChange["state"];
  readonly detail?: string;
  /** True if a call has reported how it ended. */
  readonly isSeen: boolean;
}

/** Commands that run in the background of one session, as features see them. */
export interface BackgroundTasks {
  /** Returns every known task, the oldest first. */
  list(): readonly RunInfo[];
  /** Number of tasks that run now. */
  readonly running: number;
  /** Ends a task with all its processes; resolves to false if none has the id. */
  stop(id: string): Promise<boolean>;
  /** Calls back at each change of a task, until the session ends. */
  onChange(listener: (change: TaskChange) => void): void;
}
