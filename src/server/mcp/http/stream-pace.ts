/** Pieces that one stream is ahead of its reader. */
const AHEAD_MAX = 16;

/** Keeps a stream at the pace of its reader. The library's streams take all they are given, so writers wait here. */
export class StreamPace {
  #ahead = 0;
  #isOpen = false;
  #isOver = false;
  #waiting: (() => void)[] = [];

  /** Marks the stream as read. Nothing is sent before. */
  open(): void {
    this.#isOpen = true;
    this.#ahead = 0;
    this.#wake();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Marks the stream as not read, until it is opened again. */
  close(): void {
    this.#isOpen = false;
  }

  /** Ends it: nobody will read again, and no writer waits. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Resolves when one more piece may be sent, which then counts until it is read. */
  async waitForRoom(): Promise<void> {
    while (!this.#isOver && !(this.#isOpen && this.#ahead < AHEAD_MAX)) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    this.#ahead += 1;
  }

  /** Counts a piece as read. */
  countRead(): void {
    if (this.#ahead > 0) this.#ahead -= 1;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
