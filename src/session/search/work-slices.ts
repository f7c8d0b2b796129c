import { nextTurn } from "../../base/async/next-turn.ts";
import type { Clock } from "../../base/world.ts";

/** Milliseconds of work without a pause: events, timers and other clients wait no longer for a search. */
const SLICE_MS = 4;
/** Events that are read at a time: at first and at least, and at most. */
export const PAGE_EVENTS_MIN = 16;
const PAGE_EVENTS_MAX = 128;

/** Cuts long work in this thread into short slices, with a turn of the event loop between two of them. */
export class WorkSlices {
  readonly #clock: Pick<Clock, "monotonic">;
  #sinceMs: number;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
  }

  /** True if it is time for a pause. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#sinceMs >= SLICE_MS;
  }

  /** Lets other work have its turn if the slice is over. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.#sinceMs = this.#clock.monotonic();
  }

  /** Returns how many events to read next: more if the last ones took a small part of a slice, fewer if a large one. */
  pageAfter(page: number, tookMs: number): number {
    return tookMs < SLICE_MS / 2 ? Math.min(PAGE_EVENTS_MAX, 2 * page) : Math.max(PAGE_EVENTS_MIN, page >> 1);
  }
}
