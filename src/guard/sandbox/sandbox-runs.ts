import { isWithin } from "../../base/files/below.ts";
import type { Child } from "../../base/world.ts";

/** One command of a session, from before it starts until its last process has ended. */
export interface SandboxRun {
  /** Takes a process of the command. Where that ends after the call, `tidy` is called. */
  follow(child: Child, tidy: () => Promise<void>): void;
  /** The call has ended: what still runs of it runs in the background. */
  end(): void;
}

interface Run {
  readonly closed: readonly string[];
  /** Processes that were started and have not ended. */
  living: number;
  hasEnded: boolean;
}

/**
 * The commands that may have written since the workspace was last looked at, so that what a person changes is told from what
 * a command does. Looks at the workspace come one after the other.
 */
export class SandboxRuns {
  readonly #runs = new Set<Run>();
  #last: Promise<unknown> = Promise.resolve();

  begin(closed: readonly string[]): SandboxRun {
    const run: Run = { closed, living: 0, hasEnded: false };
    this.#runs.add(run);
    return this.#handleOf(run);
  }

  /** The same for a command that lasts as long as its processes, whatever becomes of its call. */
  inBackground(closed: readonly string[]): SandboxRun {
    return this.#handleOf({ closed, living: 0, hasEnded: true });
  }

  #handleOf(run: Run): SandboxRun {
    return {
      follow: (child, tidy) => {
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

  /** Calls `act` where no command can have written since the last look; else returns false. */
  betweenRuns(act: () => Promise<boolean>): Promise<boolean> {
    return this.#inOrder(async () => (this.#runs.size === 0 ? await act() : false));
  }

  /** Calls `look` with what tells of a path that none of the commands since the last look could write it. */
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
    this.#last = next.catch(() => undefined); // whoever called gets the error
    return next;
  }
}
