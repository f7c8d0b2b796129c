import type { Clock } from "../../base/world.ts";

/** Milliseconds of work without a pause: events, timers and other clients wait no longer for a search. */
const SLICE_MS = 4;

/** Cuts long work in this thread into short slices, with a turn of the event loop between two of them. */
export class WorkSlices {
  readonly #clock: Pick<Clock, "monotonic" | "sleep">;
  #sinceMs: number;

  constructor(clock: Pick<Clock, "monotonic" | "sleep">) {
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
  }

  /** True if it is time for a pause. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#sinceMs >= SLICE_MS;
  }

  /** Lets other work have its turn if the slice is over. @throws the signal's reason. */
  async pause(signal: AbortSignal): Promise<void> {
    if (!this.isOver) return;
    await this.#clock.sleep(0, signal);
    this.#sinceMs = this.#clock.monotonic();
  }

  /** Returns how many events to read next: more if the last ones took a small part of a slice, fewer if a large one. */
  pageAfter(
    page: number,
    { tookMs, pageMax }: { readonly tookMs: number; readonly pageMax: number },
  ): number {
    return tookMs < SLICE_MS / 2 ? Math.min(pageMax, 2 * page) : Math.max(1, page >> 1);
  }
}
