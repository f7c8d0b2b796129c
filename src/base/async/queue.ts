/**
 * A bounded queue between one writer and one reader.
 *
 * `push` never waits: it answers false when the queue is full, and the writer decides what that means. The reader
 * uses `for await`; leaving the loop, or `end`, closes the queue, and later pushes are dropped with the answer true.
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

  /** The reader still gets what is queued, then its loop ends. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** The reader gets what is queued, then its loop throws. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.end();
  }

  /** Empties the queue without closing it: for a reader that will be refilled from elsewhere. */
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
