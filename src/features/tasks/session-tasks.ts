import type { TaskId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import { visible } from "../../safety/hidden.ts";
import type { RunInfo, TaskChange } from "../../tools/bash/background-runs.ts";
import { BackgroundRuns } from "../../tools/bash/background-runs.ts";

/** Ended ones that the model is still told of. */
const ENDED_TASKS_MAX = 64;
const WHAT_CHARACTERS_MAX = 200;

export interface SessionTasksOptions {
  /** Told of each change of each task. */
  readonly changed: (change: TaskChange) => void;
  /** Told when one has ended by itself, or was stopped by somebody. */
  readonly onEnded: () => void;
}

/**
 * What runs in the background of one session: commands that outlive their turn (ENG-24). All of it ends with the session
 * (REL-03). The end of each is told once to clients, and once to the model, unless it has looked itself.
 */
export class SessionTasks implements AsyncDisposable {
  /** The commands, for the tools that start and poll them. */
  readonly runs: BackgroundRuns;
  readonly #options: SessionTasksOptions;
  /** What has ended and the model was not told of, with the turn that it was then told in. */
  readonly #untold = new Map<TaskId, number | undefined>();
  #closed = false;

  constructor(options: SessionTasksOptions) {
    this.#options = options;
    this.runs = new BackgroundRuns((change) => this.#changed(change));
  }

  get running(): number {
    return this.runs.ids("running").length;
  }

  /** Resolves once it has ended; false where there is none of this id. One that has ended is left as it is. */
  stop(id: string): Promise<boolean> {
    return this.runs.stop(id);
  }

  /**
   * What the model is told with an input of a turn: what has ended since it was told last. Asked again for the same turn
   * it tells the same, unless that turn has begun meanwhile: an input that was refused has told nobody.
   */
  report(turn: number, begun: boolean): string | undefined {
    const news = this.#news(turn, begun);
    for (const { id } of news) this.#untold.set(id, turn);
    return news.length === 0 ? undefined : news.map(endText).join("\n");
  }

  /** Whether there is something that the model was not told, and has not seen by itself. */
  get hasNews(): boolean {
    return this.#news(-1, true).length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.runs[Symbol.asyncDispose]();
  }

  #news(turn: number, begun: boolean): readonly RunInfo[] {
    return this.runs.list().filter(({ id, isSeen }) => {
      if (!this.#untold.has(id) || isSeen) return false;
      const told = this.#untold.get(id);
      return told === undefined || (told === turn && !begun);
    });
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

function endText({ id, what, state, detail }: RunInfo): string {
  const how = detail === undefined ? "" : ` (${visible(detail)})`;
  const line = shortened(visible(what), WHAT_CHARACTERS_MAX).replaceAll("\n", " ");
  return `The background task ${id} has ended: ${state}${how}. It was: ${line}. CallTool BashTask polls the output of a command.`;
}
