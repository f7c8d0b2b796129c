import type { TaskId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import { visibleLine } from "../../safety/hidden.ts";
import type { BackgroundTasks, RunInfo } from "../../session/background.ts";

/** Limit for ended tasks that are still reported to the model. */
const ENDED_TASKS_MAX = 64;
const WHAT_CHARACTERS_MAX = 200;

/**
 * Reports the ends of background tasks to the model (ENG-24): each once with the next input, unless the model polled
 * the task after its end.
 */
export class TaskReports {
  readonly #tasks: Pick<BackgroundTasks, "list">;
  /** Ended tasks, each with the turn that reported it; undefined: not reported yet. */
  readonly #untold = new Map<TaskId, number | undefined>();

  constructor(tasks: Pick<BackgroundTasks, "list">) {
    this.#tasks = tasks;
  }

  /** Records the end of a task. */
  ended(id: TaskId): void {
    this.#untold.set(id, undefined);
    const extra = Math.max(0, this.#untold.size - ENDED_TASKS_MAX);
    for (const old of [...this.#untold.keys()].slice(0, extra)) this.#untold.delete(old);
  }

  /**
   * Returns the report for an input of a turn: tasks that ended since the last one; undefined if there are none.
   * Called again for the same turn it returns the same, unless that turn has begun meanwhile: a refused input has
   * reported nothing.
   */
  report(turn: number, hasBegun: boolean): string | undefined {
    const news = this.#news(turn, hasBegun);
    for (const { id } of news) this.#untold.set(id, turn);
    return news.length === 0 ? undefined : news.map(endText).join("\n");
  }

  /** True if a task ended that was neither reported to the model nor polled. */
  get hasNews(): boolean {
    return this.#news(-1, true).length > 0;
  }

  #news(turn: number, hasBegun: boolean): readonly RunInfo[] {
    return this.#tasks.list().filter(({ id, isSeen }) => {
      if (!this.#untold.has(id) || isSeen) return false;
      const report = this.#untold.get(id);
      return report === undefined || (report === turn && !hasBegun);
    });
  }
}

function endText({ id, what, state, detail }: RunInfo): string {
  const how = detail === undefined ? "" : ` (${visibleLine(detail)})`;
  const line = shortened(visibleLine(what), WHAT_CHARACTERS_MAX).replaceAll("\n", " ");
  return `The background task ${id} has ended: ${state}${how}. It was: ${line}. CallTool BashTask polls the output of a command.`;
}
