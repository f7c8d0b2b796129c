/**
 * A bounded queue between one writer and one reader.
 *
 * `push` never waits: it returns false if the queue is full, and the writer decides what to do. The reader uses `for
 * await`. Leaving the loop, or `end`, closes the queue; later pushes are dropped and return true.
 */
export class BoundedQueue<Item> implements AsyncIterable<Item>, Disposable {
  readonly #itemsMax: number;
  #items: Item[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #failure: Error | undefined;

  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax;
  }

  get size(): number {
    return this.#items.length;
  }

  push(item: Item): boolean {
    if (this.#ended) return true;
    if (this.#items.length >= this.#itemsMax) return false;
    this.#items.push(item);
    this.#notify();
    return true;
  }

  /** Closes the queue. The reader still gets the queued items, then its loop ends. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Closes the queue. The reader gets the queued items, then its loop throws. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.end();
  }

  /** Empties the queue without closing it, for a reader that is refilled from another source. */
  clear(): void {
    this.#items = [];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    try {
      while (true) {
        const items = this.#items;
        this.#items = [];
        yield* items;
        if (this.#items.length > 0) continue;
        if (this.#ended) break;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      this.#ended = true;
      this.#items = [];
    }
  }

  [Symbol.dispose](): void {
    this.end();
    this.#items = [];
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
