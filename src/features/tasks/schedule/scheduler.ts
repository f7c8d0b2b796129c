import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { RunRecord } from "./run-record.ts";
import type { ClaimedRun, RunEnd, Schedule } from "./schedule.ts";

/** Limit for concurrent runs of one engine; further due tasks wait. */
export const RUNS_AT_ONCE_MAX = 4;
/** Interval of checks for changes by others, and for a clock that was set. */
export const CHECK_EVERY_MS = 30_000;

/** Does the work of one run. @throws HarnessError if it cannot start, or fails; the signal's reason. */
export type RunTask = (
  claimed: ClaimedRun,
  onBegun: (session: string) => Promise<void>,
  signal: AbortSignal,
) => Promise<RunEnd>;

export interface SchedulerOptions {
  readonly world: Pick<World, "clock" | "log">;
  readonly schedule: Schedule;
  readonly run: RunTask;
}

/**
 * Runs scheduled tasks when they are due, until it is disposed (ENG-24). Holds one timer; disposing it ends its runs,
 * and waits for them.
 */
export class Scheduler implements AsyncDisposable {
  readonly #options: SchedulerOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #reported = new Set<string>();
  #timer: Disposable | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Count of current runs. */
  get running(): number {
    return this.#running.size;
  }

  /** Starts checking, at once and from then on. */
  start(): void {
    this.#look();
  }

  /** Runs what is due now, and returns the records once all runs have ended. */
  async runDue(): Promise<readonly RunRecord[]> {
    const records: RunRecord[] = [];
    const { tasks } = await this.#known();
    const waiting = tasks.map(({ name }) => name);
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const claimed = await this.#options.schedule.claimDue(name, this.#stop.signal);
        if (claimed !== undefined) records.push(await this.runClaimed(claimed, this.#stop.signal));
      }
    };
    await Promise.all(Array.from({ length: RUNS_AT_ONCE_MAX }, work));
    return records;
  }

  /** Runs a claimed task, and records its result. Never rejects because of the result. */
  async runClaimed(claimed: ClaimedRun, signal: AbortSignal): Promise<RunRecord> {
    const { schedule, run } = this.#options;
    const end = await ended(signal, () =>
      run(claimed, (session) => schedule.recordSession(claimed, session, signal), signal),
    );
    return await schedule.settle(claimed, end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    this.#stop.abort(new HarnessError("EngineStopping", {}));
    await this.#looking;
    await Promise.all(this.#running);
  }

  #look(): void {
    if (this.#stop.signal.aborted) return;
    this.#looking = this.#lookOnce()
      .catch((thrown: unknown) => {
        if (!this.#stop.signal.aborted) this.#log("error", messageOf(thrown));
        return CHECK_EVERY_MS;
      })
      .then((ms) => {
        if (this.#stop.signal.aborted) return;
        this.#timer = this.#options.world.clock.timer(ms, () => this.#look());
      });
  }

  /** Starts what is due, and returns the time until the next check. */
  async #lookOnce(): Promise<number> {
    const { schedule, world } = this.#options;
    const { tasks } = await this.#known();
    let next = CHECK_EVERY_MS;
    for (const task of tasks) {
      const verdict = await schedule.dueDecision(task);
      if (verdict.kind === "wait") {
        const ms = (verdict.dueMs ?? Number.POSITIVE_INFINITY) - world.clock.now();
        next = Math.min(next, Math.max(1, ms));
      } else if (this.#running.size < RUNS_AT_ONCE_MAX) {
        const claimed = await schedule.claimDue(task.name, this.#stop.signal);
        if (claimed !== undefined) this.#begin(claimed);
      }
    }
    return next;
  }

  #begin(claimed: ClaimedRun): void {
    const run: Promise<void> = this.runClaimed(claimed, this.#stop.signal)
      .then(({ task, outcome, session, detail }) =>
        this.#log(outcome === "done" ? "info" : "warn", "ran", { task, outcome, session, detail }),
      )
      .catch((thrown: unknown) => this.#log("error", messageOf(thrown), { task: claimed.task.name }))
      .finally(() => {
        this.#running.delete(run);
      });
    this.#running.add(run);
  }

  /** Returns the known tasks; reports a problem of a file once. */
  async #known() {
    const scheduled = await this.#options.schedule.list();
    for (const { message } of scheduled.problems) {
      if (!this.#reported.has(message)) this.#log("warn", message);
      this.#reported.add(message);
    }
    return scheduled;
  }

  #log(
    level: "info" | "warn" | "error",
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    this.#options.world.log.for("schedule").write(level, message, fields);
  }
}

/** Returns the end of a run that may have thrown. */
async function ended(signal: AbortSignal, run: () => Promise<RunEnd>): Promise<RunEnd> {
  try {
    return await run();
  } catch (thrown) {
    if (signal.aborted) return { outcome: "stopped", detail: messageOf(signal.reason) };
    const reason = thrown instanceof HarnessError ? { reason: thrown.reason } : {};
    return { outcome: "failed", detail: messageOf(thrown), ...reason };
  }
}
