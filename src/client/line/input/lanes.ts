import { BoundedQueue } from "../../../base/async/queue.ts";

/** Pieces of work that wait in one lane for the engine to have taken those before them. */
export const WORK_AHEAD_MAX = 1_000;

export type Work = () => Promise<unknown>;
export type Lane = "lines" | "answers" | "urgent";

/**
 * What waits for the engine is worked off in lanes, each in order, so that a slow command keeps neither events nor
 * Ctrl-C nor an answer waiting: lines for the model and commands in one, answers in another, cancelling in a third.
 */
export class Lanes {
  readonly #queues: Readonly<Record<Lane, BoundedQueue<Work>>> = {
    lines: new BoundedQueue(WORK_AHEAD_MAX),
    answers: new BoundedQueue(WORK_AHEAD_MAX),
    urgent: new BoundedQueue(WORK_AHEAD_MAX),
  };
  readonly #onDone: () => void;
  #undone = 0;

  /** @param onDone is called after each piece of work, however it ended. */
  constructor(onDone: () => void) {
    this.#onDone = onDone;
  }

  /** Whether something is not done yet. */
  get busy(): boolean {
    return this.#undone > 0;
  }

  /** Gives a piece of work to a lane; false, and nothing is done, where too much waits there. */
  push(lane: Lane, work: Work): boolean {
    this.#undone += 1;
    const taken = this.#queues[lane].push(async () => {
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

  /** Work without a place in the count: it keeps nobody from leaving. */
  later(lane: Lane, work: Work): void {
    void this.#queues[lane].push(work);
  }

  /** Works off each lane; gives something after each piece of work. */
  workOff(): readonly AsyncGenerator<"worked">[] {
    return Object.values(this.#queues).map((queue) => workedOff(queue));
  }

  end(): void {
    for (const queue of Object.values(this.#queues)) queue.end();
  }
}

async function* workedOff(queue: BoundedQueue<Work>): AsyncGenerator<"worked"> {
  for await (const work of queue) {
    await work();
    yield "worked";
  }
}
