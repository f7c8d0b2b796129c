import type { TaskId } from "../base/ids.ts";

/** Work that outlives the turn that started it: listed, stopped, reported when done (ENG-24). */
export interface TaskPort {
  /**
   * Begins one. It ends at the latest with its session.
   * @throws HarnessError TasksFull where too many run; EngineStopping while the session ends.
   */
  start(task: TaskStart): TaskId;
  list(): readonly TaskInfo[];
  /** Resolves once it has ended; false where there is none of this id. One that has ended is left as it is. */
  stop(id: string): Promise<boolean>;
}

export interface TaskStart {
  /** One line that tells it from others. */
  readonly what: string;
  /** Ends soon after its signal aborts. Resolves to what came of it, in a few words; rejects where it failed. */
  run(signal: AbortSignal): Promise<string>;
}

export interface TaskInfo {
  readonly id: TaskId;
  readonly what: string;
  readonly state: "running" | "done" | "failed" | "stopped";
  readonly startedAt: string;
  /** How it ended, where there is more to say. */
  readonly detail?: string;
}
