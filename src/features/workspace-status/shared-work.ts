import { whileAlive } from "../../base/async/deadline.ts";

interface Running<Result> {
  readonly result: Promise<Result>;
  readonly stop: AbortController;
  waiting: number;
}

/** Work by key that callers at the same time share. The last caller that leaves ends it. */
export class SharedWork<Key, Result> {
  readonly #running = new Map<Key, Running<Result>>();

  /**
   * Waits for the work of a key, and starts it if nobody waits for it yet.
   * @throws the signal's reason, and what the work throws.
   */
  async run(key: Key, work: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, work);
    running.waiting += 1;
    try {
      return await whileAlive(running.result, signal);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) {
        this.#forget(key, running);
        running.stop.abort(new DOMException("Nobody waits for it any more.", "AbortError"));
      }
    }
  }

  #start(key: Key, work: (signal: AbortSignal) => Promise<Result>): Running<Result> {
    const stop = new AbortController();
    const running: Running<Result> = { result: work(stop.signal), stop, waiting: 0 };
    this.#running.set(key, running);
    const forget = () => this.#forget(key, running);
    running.result.then(forget, forget);
    return running;
  }

  /** Cancelled work may finish after other work for the same key has begun. */
  #forget(key: Key, running: Running<Result>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
  }
}
