import { BoundedQueue } from "../../../base/async/queue.ts";

/** Limit on pieces of work that wait in one queue. */
export const WORK_AHEAD_MAX = 1_000;

export type Work = () => Promise<unknown>;
export type WorkQueue = "lines" | "answers" | "urgent";

/**
 * Three queues for work that waits for the engine, each run in order: lines and commands, answers, cancelling.
 *
 * A slow command therefore delays neither events nor Ctrl-C nor an answer.
 */
export class WorkQueues {
  readonly #queues: Readonly<Record<WorkQueue, BoundedQueue<Work>>> = {
    lines: new BoundedQueue(WORK_AHEAD_MAX),
    answers: new BoundedQueue(WORK_AHEAD_MAX),
    urgent: new BoundedQueue(WORK_AHEAD_MAX),
  };
  readonly #onDone: () => void;
  #undone = 0;

  /** @param onDone called after each piece of work, whether it failed or not. */
  constructor(onDone: () => void) {
    this.#onDone = onDone;
  }

  /** True while counted work is waiting or running. */
  get busy(): boolean {
    return this.#undone > 0;
  }

  /** Adds work to a queue; returns false, and drops it, if `WORK_AHEAD_MAX` pieces wait there. */
  push(name: WorkQueue, work: Work): boolean {
    this.#undone += 1;
    const taken = this.#queues[name].push(async () => {
      try {
        await work();
      } finally {
        this.#undone -= 1;
        this.#onDone();
      }
    });
    if (!taken) this.#undone -= 1;
    return taken;
  }

  /** Adds work that `busy` does not count, so that it does not delay leaving. */
  pushUncounted(name: WorkQueue, work: Work): void {
    void this.#queues[name].push(work);
  }

  /** Runs the queues; each generator yields after a piece of work. */
  runAll(): readonly AsyncGenerator<"worked">[] {
    return Object.values(this.#queues).map((queue) => runQueue(queue));
  }

  end(): void {
    for (const queue of Object.values(this.#queues)) queue.end();
  }
}

async function* runQueue(queue: BoundedQueue<Work>): AsyncGenerator<"worked"> {
  for await (const work of queue) {
    await work();
    yield "worked";
  }
}
