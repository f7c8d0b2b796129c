/** Pieces that one stream is ahead of its reader at most. */
const AHEAD_MAX = 16;

/**
 * Keeps what is put into a stream near to what is read of it. The library's streams take whatever they are given, so whoever
 * gives waits here for room.
 */
export class Pace {
  #ahead = 0;
  #isOpen = false;
  #isOver = false;
  #waiting: (() => void)[] = [];

  /** Somebody reads. Nothing is sent before. */
  open(): void {
    this.#isOpen = true;
    this.#ahead = 0;
    this.#wake();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Nobody reads any more, until it is opened again. */
  close(): void {
    this.#isOpen = false;
  }

  /** Nobody will ever read again: nobody is kept waiting. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Resolves when one more piece may be sent, which then counts until it is read. */
  async room(): Promise<void> {
    while (!this.#isOver && !(this.#isOpen && this.#ahead < AHEAD_MAX)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#ahead += 1;
  }

  /** A piece was read. */
  taken(): void {
    if (this.#ahead > 0) this.#ahead -= 1;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
