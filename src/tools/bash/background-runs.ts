import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { defined } from "../../base/defined.ts";
import { Cancelled, messageOf } from "../../base/errors.ts";
import type { TaskId } from "../../base/ids.ts";
import type { Child, Exit, World } from "../../base/world.ts";
import type { RunInfo, TaskChange } from "../../session/background.ts";
import type { OutputCapture } from "./capture.ts";

/** Limit of commands that run in the background of one session at a time. */
export const BACKGROUND_RUNS_MAX = 16;
/** Limit of ended runs whose output can still be polled. */
const ENDED_RUNS_MAX = 64;

export interface RunStart {
  readonly what: string;
  readonly child: Child;
  readonly capture: OutputCapture;
  /** Absent: until the session ends. */
  readonly msMax: number | undefined;
  /** True if the command received the user's variables that hold secrets. */
  readonly hasSecrets?: true;
}

export interface RunReport extends Pick<RunStart, "what" | "hasSecrets"> {
  readonly state: TaskChange["state"];
  readonly runningMs: number;
  /** Output since the last report. */
  readonly output: string;
  readonly exit?: Exit;
  readonly detail?: string;
}

interface Run extends RunStart {
  readonly id: TaskId;
  readonly startedMs: number;
  readonly stop: AbortController;
  state: TaskChange["state"];
  endedMs?: number;
  exit?: Exit;
  detail?: string;
  polled: number;
  /** True once its end was reported. */
  isSeen: boolean;
  done: Promise<void>;
}

/**
 * The commands that one session runs in the background (TOOL-02, ENG-24).
 *
 * Disposing it ends all of them, so that nothing outlives its session (REL-03). Each change of a run is reported
 * once, also while no call is running.
 */
export class BackgroundRuns implements AsyncDisposable {
  readonly #changed: (change: TaskChange) => void;
  readonly #runs = new Map<TaskId, Run>();
  #closed = false;

  constructor(changed: (change: TaskChange) => void) {
    this.#changed = changed;
  }

  /** Returns the reason why no further run can be started, or undefined. */
  startProblem(): string | undefined {
    if (this.#closed) return "The session is ending; nothing can be started any more.";
    const running = this.ids("running");
    if (running.length < BACKGROUND_RUNS_MAX) return undefined;
    return `${BACKGROUND_RUNS_MAX} commands run in the background already. Stop one first: ${running.join(", ")}.`;
  }

  ids(state?: TaskChange["state"]): readonly TaskId[] {
    const runs = [...this.#runs.values()];
    return runs.filter((run) => state === undefined || run.state === state).map((run) => run.id);
  }

  /** Lists every known run, the oldest first. */
  list(): readonly RunInfo[] {
    return [...this.#runs.values()].map((run) => {
      const { id, what, state, isSeen } = run;
      const detail = howEnded(run);
      return { id, what, state, isSeen, ...defined({ detail }) };
    });
  }

  /** Takes over a started child and is responsible for ending it. */
  start(world: World, start: RunStart): TaskId {
    const run: Run = {
      ...start,
      id: world.ids.next("task"),
      startedMs: world.clock.monotonic(),
      stop: new AbortController(),
      state: "running",
      polled: 0,
      isSeen: false,
      done: Promise.resolve(),
    };
    this.#runs.set(run.id, run);
    this.#tell(run);
    run.done = this.#follow(run, world);
    if (this.#closed) run.stop.abort(new Cancelled("session", "the session has ended"));
    return run.id;
  }

  /** Returns what changed in a run since the last poll; undefined for an unknown run. */
  async poll(id: string, world: World): Promise<RunReport | undefined> {
    const run = this.#find(id);
    if (run === undefined) return undefined;
    const { text, next } = await run.capture.since(run.polled);
    run.polled = next;
    run.isSeen = run.state !== "running";
    return {
      what: run.what,
      ...(run.hasSecrets === true ? { hasSecrets: true } : {}),
      state: run.state,
      runningMs: (run.endedMs ?? world.clock.monotonic()) - run.startedMs,
      output: text,
      ...defined({ exit: run.exit, detail: run.detail }),
    };
  }

  /** Ends a run with all its processes; does nothing if it has ended. Returns false for an unknown run. */
  async stop(id: string): Promise<boolean> {
    const run = this.#find(id);
    if (run === undefined) return false;
    run.stop.abort(new Cancelled("tool", "stopped"));
    await run.done;
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const runs = [...this.#runs.values()];
    for (const run of runs) run.stop.abort(new Cancelled("session", "the session has ended"));
    await Promise.all(runs.map((run) => run.done));
  }

  #find(id: string): Run | undefined {
    return [...this.#runs.values()].find((run) => run.id === id);
  }

  /** Never rejects: the end of a run is its state. */
  async #follow(run: Run, world: World): Promise<void> {
    try {
      await this.#untilEnd(run, world);
    } catch (thrown) {
      run.state = "failed";
      run.detail = messageOf(thrown);
    }
    run.endedMs = world.clock.monotonic();
    this.#forget();
    try {
      this.#tell(run);
    } catch (thrown) {
      // No caller awaits this, so a failing listener must not end the process.
      world.log.for("tool").write("error", "the end of a background run could not be reported", {
        task: run.id,
        error: messageOf(thrown),
      });
    }
  }

  async #untilEnd(run: Run, world: World): Promise<void> {
    const { child, capture } = run;
    using limit = run.msMax === undefined ? undefined : deadline(world.clock, run.msMax, run.stop.signal);
    const read = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) await capture.write(chunk);
    };
    const done = Promise.all([child.exited, read(child.stdout), read(child.stderr)]);
    let ended: TaskChange["state"] | undefined;
    try {
      await whileAlive(done, limit?.signal ?? run.stop.signal);
    } catch (thrown) {
      if (limit?.reached) run.detail = `timed out after ${(run.msMax ?? 0) / 1000} s`;
      else if (!run.stop.signal.aborted) throw thrown;
      ended = limit?.reached ? "failed" : "stopped";
    } finally {
      if (child.leftBehind()) run.detail ??= "processes it left running were ended";
      await child[Symbol.asyncDispose]();
      [run.exit] = await done;
      await capture.end();
    }
    run.state = ended ?? (run.exit.kind === "code" && run.exit.code === 0 ? "done" : "failed");
  }

  #forget(): void {
    const ended = [...this.#runs.values()].filter((run) => run.state !== "running");
    for (const run of ended.slice(0, Math.max(0, ended.length - ENDED_RUNS_MAX))) this.#runs.delete(run.id);
  }

  #tell(run: Run): void {
    const { id, what, state } = run;
    const how = howEnded(run);
    this.#changed({ taskId: id, what, state, ...defined({ detail: how }) });
  }
}

function howEnded({ exit, detail }: Pick<Run, "exit" | "detail">): string | undefined {
  return detail ?? (exit?.kind === "code" && exit.code !== 0 ? `exit code ${exit.code}` : undefined);
}
