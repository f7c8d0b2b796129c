import type { BackgroundTasks, TaskChange } from "../../session/background.ts";
import type { BackgroundRuns } from "../../tools/bash/background-runs.ts";

/** Reports each change of a background task to features. */
export class TaskWatch {
  readonly #listeners: ((change: TaskChange) => void)[] = [];

  changed(change: TaskChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  running(runs: BackgroundRuns): number {
    return runs.ids("running").length;
  }

  /** Returns the tasks of a session as its features see them. */
  over(runs: BackgroundRuns): BackgroundTasks {
    const running = () => this.running(runs);
    return {
      list: () => runs.list(),
      get running() {
        return running();
      },
      stop: async (id) => await runs.stop(id),
      onChange: (listener) => void this.#listeners.push(listener),
    };
  }
}
