import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Reason } from "../../../base/reasons.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Clock, Machine } from "../../../base/world.ts";
import type { DueDecision } from "./decide-due.ts";
import { decideDue } from "./decide-due.ts";
import type { RunningRun, RunOutcome, RunRecord, TaskState } from "./run-record.ts";
import type { ScheduledTask } from "./scheduled-task.ts";
import { assertName, assertPrompt, isTaskName } from "./scheduled-task.ts";
import type { TaskFilesOptions } from "./task-files.ts";
import { TaskFiles } from "./task-files.ts";

/** Limit for tasks of one user. */
export const SCHEDULED_TASKS_MAX = 256;

export interface ScheduleOptions extends TaskFilesOptions {
  readonly clock: Pick<Clock, "now">;
  readonly machine: Pick<Machine, "pid" | "processStart" | "isAlive">;
}

/** Readable tasks, and the problems of the others. */
export interface Scheduled {
  readonly tasks: readonly ScheduledTask[];
  readonly problems: readonly HarnessError[];
}

/** A run that this process has claimed; no other process runs the task until it is settled. */
export interface ClaimedRun {
  readonly task: ScheduledTask;
  readonly startedMs: number;
  readonly dueMs?: number;
  readonly missed?: string;
}

/** Result of a run, to be recorded. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly detail?: string;
  /** Reason of the error that ended it. */
  readonly reason?: Reason;
  readonly refused?: number;
  readonly session?: string;
  readonly costUsd?: number | null;
}

/**
 * Scheduled tasks of one user, each a separate file in their data folder, with the state of its runs beside it
 * (ENG-24). A process that changes anything, or claims a run, holds a lock meanwhile: of two engines one runs a task.
 */
export class Schedule {
  readonly #options: Pick<ScheduleOptions, "clock" | "machine">;
  readonly #files: TaskFiles;
  /** Results of runs of this process that could not be written, by task. */
  readonly #unsettled = new Map<string, RunRecord>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#files = new TaskFiles(options);
  }

  /** Returns every task by its name. An invalid file is reported, and keeps no other task from running. */
  async list(): Promise<Scheduled> {
    const tasks: ScheduledTask[] = [];
    const problems: HarnessError[] = [];
    const { names, strange } = await this.#files.names();
    for (const name of names) {
      try {
        const task = await this.#files.read(name);
        if (task !== undefined) tasks.push(task);
      } catch (thrown) {
        if (!(thrown instanceof HarnessError)) throw thrown;
        problems.push(thrown);
      }
    }
    return { tasks, problems: [...problems, ...strange] };
  }

  /** @throws HarnessError ScheduleMissing; ConfigInvalid with file, line and key. */
  async find(name: string): Promise<ScheduledTask> {
    assertIsOne(name);
    const task = await this.#files.read(name);
    if (task === undefined) throw new HarnessError("ScheduleMissing", { name });
    return task;
  }

  /** Returns the path of a task's file, existing or not. @throws HarnessError ScheduleUnusable. */
  pathOf(name: string): string {
    assertName(name);
    return this.#files.pathOf(name);
  }

  /** @throws HarnessError ScheduleTaken, ScheduleUnusable. */
  async add(task: ScheduledTask): Promise<void> {
    assertName(task.name);
    assertPrompt(task.prompt);
    if ((await this.#files.names()).names.length >= SCHEDULED_TASKS_MAX) {
      const problem = `there are ${SCHEDULED_TASKS_MAX} already; remove some first`;
      throw new HarnessError("ScheduleUnusable", { problem });
    }
    if (!(await this.#files.create(task))) throw new HarnessError("ScheduleTaken", { name: task.name });
  }

  /** Removes it with the state of its runs. A running one is not ended by that. */
  async remove(name: string, signal: AbortSignal): Promise<void> {
    assertIsOne(name);
    using _lock = await this.#files.lock(signal);
    // Its file may be unreadable: that is a reason to remove it.
    if (!(await this.#files.has(name))) throw new HarnessError("ScheduleMissing", { name });
    await this.#files.remove(name);
  }

  /** Enables or disables it. A run that was due while it was disabled is not made up for. */
  async enable(name: string, enabled: boolean, signal: AbortSignal): Promise<void> {
    using _lock = await this.#files.lock(signal);
    const task = await this.find(name);
    if (task.enabled === enabled) return;
    await this.#files.replace({ ...task, enabled });
    if (enabled)
      await this.#files.writeState(name, { ...(await this.#files.state(name)), settled_ms: this.#now });
  }

  /** Returns the stored state of a task between two runs. */
  state(name: string): Promise<TaskState> {
    return this.#files.state(name);
  }

  /** Returns its runs, the oldest first, at most `RUNS_KEPT_MAX`. */
  runs(name: string): Promise<readonly RunRecord[]> {
    return this.#files.runs(name);
  }

  /** Returns true if the run in a state is still running. */
  isAlive({ running }: TaskState): boolean {
    return running !== undefined && this.#options.machine.isAlive(running.pid, running.process_start);
  }

  /** Decides when it is due next, or whether it is now. */
  async dueDecision(task: ScheduledTask): Promise<DueDecision> {
    const state = await this.#files.state(task.name);
    return decideDue(task, state, { ms: this.#now, isRunning: this.isAlive(state) });
  }

  /**
   * Claims the run of a task if it is due and unclaimed; records what was skipped or interrupted. Returns undefined
   * if there is nothing to run.
   */
  async claimDue(name: string, signal: AbortSignal): Promise<ClaimedRun | undefined> {
    using _lock = await this.#files.lock(signal);
    const task = await this.#files.read(name);
    if (task === undefined) return undefined;
    const state = await this.#reaped(name);
    const verdict = decideDue(task, state, { ms: this.#now, isRunning: state.running !== undefined });
    if (verdict.kind === "wait") return undefined;
    if (verdict.kind === "reset") {
      await this.#files.writeState(name, { ...state, settled_ms: this.#now });
      return undefined;
    }
    const { dueMs, missed } = verdict;
    const due = { dueMs, ...defined({ missed }) };
    if (verdict.kind === "run") return await this.#claim({ task, startedMs: this.#now, ...due }, state);
    await this.#skip(name, state, due);
    return undefined;
  }

  /** Claims a run on a person's request, due or not. @throws HarnessError ScheduleMissing, ScheduleBusy. */
  async claimNow(name: string, signal: AbortSignal): Promise<ClaimedRun> {
    using _lock = await this.#files.lock(signal);
    const task = await this.find(name);
    const state = await this.#reaped(name);
    if (state.running !== undefined)
      throw new HarnessError("ScheduleBusy", { name, since: state.running.started_at });
    return await this.#claim({ task, startedMs: this.#now }, state);
  }

  /** Records the session of a run, so that a crash can be reported with it. */
  async recordSession({ task }: ClaimedRun, session: string, signal: AbortSignal): Promise<void> {
    using _lock = await this.#files.lock(signal);
    const state = await this.#files.state(task.name);
    if (!this.#isOurs(state.running)) return;
    await this.#files.writeState(task.name, { ...state, running: { ...state.running, session } });
  }

  /**
   * Records the result of a run. A task that was removed meanwhile leaves nothing. If it cannot be written, for
   * example on a full disk, that is thrown, and it is written when the task is due next.
   */
  async settle({ task, startedMs, dueMs, missed }: ClaimedRun, end: RunEnd): Promise<RunRecord> {
    const record: RunRecord = {
      task: task.name,
      ...(dueMs === undefined ? {} : { due: isoOf(dueMs) }),
      started_at: isoOf(startedMs),
      ended_at: isoOf(this.#now),
      outcome: end.outcome,
      ...defined({
        detail: end.detail,
        reason: end.reason,
        refused: end.refused,
        session: end.session,
        cost_usd: end.costUsd,
        missed,
      }),
    };
    // The result is recorded even while everything is being ended.
    this.#unsettled.set(task.name, record);
    using _lock = await this.#files.lock(new AbortController().signal);
    if (await this.#files.has(task.name)) {
      const { running, ...state } = await this.#files.state(task.name);
      const isOther = running !== undefined && !this.#isOurs(running);
      await this.#files.record(task.name, isOther ? { ...state, running } : state, record);
    }
    this.#unsettled.delete(task.name);
    return record;
  }

  /** Records that a task was due while its last run was still running. */
  async #skip(
    name: string,
    state: TaskState,
    { dueMs, missed }: { readonly dueMs: number; readonly missed?: string },
  ): Promise<void> {
    const at = isoOf(this.#now);
    const record: RunRecord = {
      task: name,
      due: isoOf(dueMs),
      started_at: at,
      ended_at: at,
      outcome: "skipped",
      detail: `the run of ${state.running?.started_at ?? "before"} still continues`,
      ...defined({ missed }),
    };
    await this.#files.record(name, { ...state, settled_ms: this.#now }, record);
  }

  async #claim(claimed: ClaimedRun, state: TaskState): Promise<ClaimedRun> {
    const { pid, processStart } = this.#options.machine;
    const running: RunningRun = {
      pid,
      process_start: processStart,
      started_at: isoOf(claimed.startedMs),
      ...(claimed.dueMs === undefined ? {} : { due: isoOf(claimed.dueMs) }),
    };
    const settled = claimed.dueMs === undefined ? {} : { settled_ms: claimed.startedMs };
    await this.#files.writeState(claimed.task.name, { ...state, ...settled, running });
    this.#unsettled.delete(claimed.task.name);
    return claimed;
  }

  /** Returns the state; records a run that its process left behind as interrupted. */
  async #reaped(name: string): Promise<TaskState> {
    const state = await this.#files.state(name);
    const { running, ...rest } = state;
    const unsettled = this.#isOurs(running) ? this.#unsettled.get(name) : undefined;
    if (unsettled !== undefined) {
      const settled = await this.#files.record(name, rest, unsettled);
      this.#unsettled.delete(name);
      return settled;
    }
    if (running === undefined || this.isAlive(state)) return state;
    const { started_at, due, session } = running;
    return await this.#files.record(name, rest, {
      task: name,
      started_at,
      ended_at: isoOf(this.#now),
      outcome: "interrupted",
      detail: "the process that ran it ended before it did",
      ...defined({ due, session }),
    });
  }

  #isOurs(running: RunningRun | undefined): running is RunningRun {
    const { pid, processStart } = this.#options.machine;
    return running?.pid === pid && running.process_start === processStart;
  }

  get #now(): number {
    return this.#options.clock.now();
  }
}

/** Rejects an impossible name as unknown. @throws HarnessError ScheduleMissing. */
function assertIsOne(name: string): void {
  if (!isTaskName(name)) throw new HarnessError("ScheduleMissing", { name: shortened(name, 80) });
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
