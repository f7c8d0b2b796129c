import { isWithin } from "../../base/files/below.ts";
import type { Child } from "../../base/world.ts";

/** One command of a session, from before its start until its last process has ended. */
export interface SandboxRun {
  /** Tracks a process of the command. `tidy` is called if the process ends after the call. */
  track(child: Child, tidy: () => Promise<void>): void;
  /** Marks the end of the call: processes of it that still run are in the background. */
  end(): void;
}

interface Run {
  readonly closed: readonly string[];
  /** Count of processes that were started and have not ended. */
  living: number;
  hasEnded: boolean;
}

/**
 * Commands that may have written since the last inspection of the workspace, so that the user's changes are
 * distinguished from a command's. Inspections run one after another.
 */
export class SandboxRuns {
  readonly #runs = new Set<Run>();
  #last: Promise<unknown> = Promise.resolve();

  begin(closed: readonly string[]): SandboxRun {
    const run: Run = { closed, living: 0, hasEnded: false };
    this.#runs.add(run);
    return this.#handleOf(run);
  }

  /** Begins a command that lasts as long as its processes, whatever happens to its call. */
  inBackground(closed: readonly string[]): SandboxRun {
    return this.#handleOf({ closed, living: 0, hasEnded: true });
  }

  #handleOf(run: Run): SandboxRun {
    return {
      track: (child, tidy) => {
        this.#runs.add(run);
        run.living += 1;
        void child.exited.then(async () => {
          run.living -= 1;
          if (run.hasEnded) await tidy();
        });
      },
      end() {
        run.hasEnded = true;
      },
    };
  }

  /** Calls `act` if no command can have written since the last inspection; otherwise returns false. */
  betweenRuns(act: () => Promise<boolean>): Promise<boolean> {
    return this.#inOrder(async () => (this.#runs.size === 0 ? await act() : false));
  }

  /** Calls `look` with a predicate: true for a path that no command since the last inspection could write. */
  afterRuns(look: (isClosed: (path: string) => boolean) => Promise<void>): Promise<void> {
    return this.#inOrder(async () => {
      const looked = [...this.#runs];
      const over = looked.filter(({ hasEnded, living }) => hasEnded && living === 0);
      await look((path) => looked.every(({ closed }) => closed.some((place) => isWithin(place, path))));
      for (const run of over) this.#runs.delete(run);
    });
  }

  #inOrder<T>(act: () => Promise<T>): Promise<T> {
    const next = this.#last.then(act, act);
    this.#last = next.catch(() => undefined); // the caller gets the error
    return next;
  }
}
