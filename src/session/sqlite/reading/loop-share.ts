import { nextTurn } from "../../../base/async/next-turn.ts";
import type { Clock } from "../../../base/world.ts";

/** Milliseconds of one turn of the event loop that all reads together may take. */
const SHARE_MS = 4;

/**
 * The part of each turn of the event loop that the reads of a store may use. A read of an in-process database never
 * waits, so that a loop over reads, or many clients that ask at the same time, would let no timer and no socket in.
 */
export class LoopShare {
  readonly #clock: Pick<Clock, "monotonic">;
  #sinceMs = 0;
  /** Settles in the next turn. Undefined: nothing was read in this one. */
  #next: Promise<void> | undefined;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * A wait for the next turn if this one is used up, what callers did with their reads included. Undefined: the caller
   * reads now, in the same step. After a wait it asks again: those that waited longer may have used up the turn.
   */
  get wait(): Promise<void> | undefined {
    const nowMs = this.#clock.monotonic();
    if (this.#next !== undefined) return nowMs - this.#sinceMs < SHARE_MS ? undefined : this.#next;
    this.#sinceMs = nowMs;
    this.#next = this.#turn();
    return undefined;
  }

  async #turn(): Promise<void> {
    await nextTurn();
    this.#next = undefined;
  }
}
