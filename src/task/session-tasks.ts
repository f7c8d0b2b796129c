import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { TaskId } from "../base/ids.ts";
import { shortened } from "../base/text.ts";
import type { World } from "../base/world.ts";
import type { TaskInfo, TaskPort, TaskStart } from "../control/task-port.ts";
import type { TaskChange } from "../tool/builtin/background-runs.ts";
import { BackgroundRuns } from "../tool/builtin/background-runs.ts";
import { visible } from "../trust/hidden.ts";

/** Tasks of one session that run at a time, beside its commands, which have a limit of their own. */
export const TASKS_MAX = 16;
/** Ended ones that are still listed. */
const ENDED_TASKS_MAX = 64;
const WHAT_CHARACTERS_MAX = 200;

interface Task {
  readonly id: TaskId;
  readonly what: string;
  readonly startedAt: string;
  readonly stop: AbortController;
  state: TaskInfo["state"];
  detail?: string;
  done: Promise<void>;
}

export interface SessionTasksOptions {
  readonly world: Pick<World, "clock" | "ids" | "log">;
  /** Told of each change of each task. */
  readonly changed: (change: TaskChange) => void;
  /** Told when one has ended by itself, or was stopped by somebody. */
  readonly onEnded: () => void;
}

/**
 * What runs in the background of one session: commands, and whatever else outlives its turn (ENG-24). All of it ends with
 * the session (REL-03). The end of each is told once to clients, and once to the model, unless it has looked itself.
 */
export class SessionTasks implements TaskPort, AsyncDisposable {
  /** The commands among them. */
  readonly runs: BackgroundRuns;
  readonly #options: SessionTasksOptions;
  readonly #tasks = new Map<TaskId, Task>();
  /** What has ended and the model was not told of, with the turn that it was then told in. */
  readonly #untold = new Map<TaskId, number | undefined>();
  #closed = false;

  constructor(options: SessionTasksOptions) {
    this.#options = options;
    this.runs = new BackgroundRuns((change) => this.#changed(change));
  }

  get running(): number {
    return this.list().filter(({ state }) => state === "running").length;
  }

  list(): readonly TaskInfo[] {
    const runs = this.runs.list().map(({ isSeen: _, ...run }) => run);
    const tasks = [...this.#tasks.values()].map(({ id, what, startedAt, state, detail }) => {
      return { id, what, startedAt, state, ...(detail === undefined ? {} : { detail }) };
    });
    return [...runs, ...tasks].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  }

  start({ what, run }: TaskStart): TaskId {
    if (this.#closed) throw new HarnessError("EngineStopping", {});
    const running = [...this.#tasks.values()].filter(({ state }) => state === "running");
    if (running.length >= TASKS_MAX) throw new HarnessError("TasksFull", { count: String(TASKS_MAX) });
    const { clock, ids } = this.#options.world;
    const task: Task = {
      id: ids.next("task"),
      what: shortened(what, WHAT_CHARACTERS_MAX),
      startedAt: new Date(clock.now()).toISOString(),
      stop: new AbortController(),
      state: "running",
      done: Promise.resolve(),
    };
    this.#tasks.set(task.id, task);
    this.#tell(task);
    task.done = this.#follow(task, run);
    return task.id;
  }

  async stop(id: string): Promise<boolean> {
    const task = [...this.#tasks.values()].find((each) => each.id === id);
    if (task === undefined) return await this.runs.stop(id);
    task.stop.abort(new Cancelled("client", "stopped"));
    await task.done;
    return true;
  }

  /**
   * What the model is told with an input of a turn: what has ended since it was told last. Asked again for the same turn
   * it tells the same, unless that turn has begun meanwhile: an input that was refused has told nobody.
   */
  report(turn: number, begun: boolean): string | undefined {
    const lines = this.#news(turn, begun).map(endText);
    for (const { id } of this.#news(turn, begun)) this.#untold.set(id, turn);
    return lines.length === 0 ? undefined : lines.join("\n");
  }

  /** Whether there is something that the model was not told, and has not seen by itself. */
  get hasNews(): boolean {
    return this.#news(-1, true).length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const { stop } of this.#tasks.values())
      stop.abort(new Cancelled("session", "the session has ended"));
    await Promise.all([...this.#tasks.values()].map(({ done }) => done));
    await this.runs[Symbol.asyncDispose]();
  }

  #news(turn: number, begun: boolean): readonly TaskInfo[] {
    const seen = new Set(this.runs.list().flatMap(({ id, isSeen }) => (isSeen ? [id] : [])));
    return this.list().filter(({ id }) => {
      if (!this.#untold.has(id) || seen.has(id)) return false;
      const told = this.#untold.get(id);
      return told === undefined || (told === turn && !begun);
    });
  }

  /** Never rejects: how a task ends is its state. */
  async #follow(task: Task, run: TaskStart["run"]): Promise<void> {
    try {
      task.detail = shortened(visible(await run(task.stop.signal)), WHAT_CHARACTERS_MAX);
      task.state = "done";
    } catch (thrown) {
      task.detail = shortened(visible(messageOf(thrown)), WHAT_CHARACTERS_MAX);
      task.state = task.stop.signal.aborted ? "stopped" : "failed";
    }
    const ended = [...this.#tasks.values()].filter(({ state }) => state !== "running");
    for (const { id } of ended.slice(0, Math.max(0, ended.length - ENDED_TASKS_MAX))) this.#tasks.delete(id);
    this.#tell(task);
  }

  #tell({ id, what, state, detail }: Task): void {
    this.#changed({ taskId: id, what, state, ...(detail === undefined ? {} : { detail }) });
  }

  #changed(change: TaskChange): void {
    const hasEnded = change.state !== "running";
    if (hasEnded) this.#untold.set(change.taskId, undefined);
    for (const id of [...this.#untold.keys()].slice(0, Math.max(0, this.#untold.size - ENDED_TASKS_MAX)))
      this.#untold.delete(id);
    this.#options.changed(change);
    if (hasEnded && !this.#closed) this.#options.onEnded();
  }
}

function endText({ id, what, state, detail }: TaskInfo): string {
  const how = detail === undefined ? "" : ` (${visible(detail)})`;
  const line = shortened(visible(what), WHAT_CHARACTERS_MAX).replaceAll("\n", " ");
  return `The background task ${id} has ended: ${state}${how}. It was: ${line}. CallTool BashTask polls the output of a command.`;
}
