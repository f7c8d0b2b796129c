/** Runs works of one key one after the other, in the order in which they come. Those of other keys run meanwhile. */
export class InOrder<Key> {
  /** Resolves with the end of the newest work of each key. */
  readonly #last = new Map<Key, Promise<void>>();

  /** Runs the work once all earlier ones of its key have ended, also those that failed. */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    try {
      await before;
      return await work();
    } finally {
      resolve();
      if (this.#last.get(key) === promise) this.#last.delete(key);
    }
  }
}
