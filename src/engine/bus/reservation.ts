import type { EventSeq } from "../../base/ids.ts";

/** Ids that are reserved ahead of the last event. At 14 ms for each delta of a stream, half of them last for 114 s. */
export const RESERVED_IDS = 16_384;

/**
 * Ids of a log that may be shown before they are written: a crash that takes their events cannot lead to a second use.
 *
 * A reservation holds once it is safe from loss of power. It travels in batches that are written anyway. The first one
 * of a turn becomes safe with the sync of its input, and for each renewal the bus starts a sync: nothing waits for
 * either. Only a running turn holds one.
 */
export class Reservation {
  readonly #isKept: boolean;
  /** The last reserved id in the log, or in the batch that is being written. */
  #reserved: EventSeq;
  #safe: EventSeq = 0;
  /** A reservation that is not safe yet, and the number of its batch once that is written. */
  #raised: { readonly to: EventSeq; readonly batch?: number } | undefined;
  #isTurnRunning = false;

  /** @param reserved see `SessionWriter`. */
  constructor(reserved: EventSeq | undefined) {
    this.#isKept = reserved !== undefined;
    this.#reserved = reserved ?? 0;
  }

  /** The last id that may be shown before it is written. */
  get safe(): EventSeq {
    return this.#safe;
  }

  /** Returns true if no turn runs and the log still has ids reserved above an event. */
  isOwed(last: EventSeq): boolean {
    return this.#isKept && !this.#isTurnRunning && this.#reserved > last;
  }

  turnStarted(): void {
    this.#isTurnRunning = true;
  }

  turnEnded(): void {
    this.#isTurnRunning = false;
  }

  /** Returns the reservation to write with a batch whose last event is given; undefined if it stays. */
  next(last: EventSeq): EventSeq | undefined {
    if (this.isOwed(last)) {
      this.#safe = 0;
      this.#raised = undefined;
      this.#reserved = last;
      return last;
    }
    if (!this.#isKept || !this.#isTurnRunning || this.#reserved - last >= RESERVED_IDS / 2) return undefined;
    this.#reserved = last + RESERVED_IDS;
    this.#raised = { to: this.#reserved };
    return this.#reserved;
  }

  /** Called when the batch of the last `next` is in the log, with its number. */
  written(batch: number): void {
    if (this.#raised !== undefined) this.#raised = { batch, ...this.#raised };
  }

  /** Called when so many batches are safe from loss of power. */
  synced(batches: number): void {
    if (this.#raised?.batch === undefined || this.#raised.batch > batches) return;
    // Also between two turns: the next turn has it, unless a batch gives it back first.
    this.#safe = this.#raised.to;
    this.#raised = undefined;
  }
}
