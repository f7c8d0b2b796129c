import type { Clock } from "../world.ts";
import { deadline, whileAlive } from "./deadline.ts";

/** Time that foreign code has to stop once its signal has aborted. */
export interface GracePeriod {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ms: number;
}

/**
 * Returns a signal that aborts with the reason of another one, a grace period after it. Disposing it frees the timer.
 */
export function afterGrace({
  clock,
  signal,
  ms,
}: GracePeriod): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let timer: Disposable | undefined;
  const wait = () => {
    timer = clock.timer(ms, () => controller.abort(signal.reason));
  };
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      signal.removeEventListener("abort", wait);
      timer?.[Symbol.dispose]();
    },
  };
}

/**
 * Passes on a stream of foreign code, which may ignore its signal: a grace period after the abort the stream is
 * abandoned, and the reader gets the signal's reason. Leaving it early waits for the stream no longer than that either.
 *
 * This stops the waiting, not the work: pass the same signal to the work. A hand-written iterator costs a fraction of a
 * generator, and every delta of every answer passes through it (PERF-02).
 */
export function abandonable<Value>(stream: AsyncIterable<Value>, grace: GracePeriod): AsyncIterable<Value> {
  return { [Symbol.asyncIterator]: () => new AbandonableStream(stream[Symbol.asyncIterator](), grace) };
}

class AbandonableStream<Value> implements AsyncIterator<Value> {
  readonly #source: AsyncIterator<Value>;
  readonly #period: GracePeriod;
  readonly #grace: ReturnType<typeof afterGrace>;
  #rejectNext: ((reason: unknown) => void) | undefined;
  #isOver = false;

  constructor(source: AsyncIterator<Value>, period: GracePeriod) {
    this.#source = source;
    this.#period = period;
    this.#grace = afterGrace(period);
    this.#grace.signal.addEventListener("abort", () => this.#abandon(), { once: true });
  }

  next(): Promise<IteratorResult<Value>> {
    if (this.#grace.signal.aborted) return Promise.reject(this.#grace.signal.reason);
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => {
      this.#rejectNext = reject;
      const fail = (thrown: unknown) => {
        this.#end();
        reject(thrown);
      };
      try {
        this.#source.next().then((result) => {
          if (result.done === true) this.#end();
          resolve(result);
        }, fail);
      } catch (thrown) {
        fail(thrown);
      }
    });
  }

  async return(): Promise<IteratorResult<Value>> {
    if (!this.#isOver) {
      this.#end();
      const { clock, ms } = this.#period;
      using limit = deadline(clock, ms, new AbortController().signal);
      try {
        await whileAlive((async () => await this.#source.return?.())(), limit.signal);
      } catch (thrown) {
        if (!limit.reached) throw thrown;
      }
    }
    return { done: true, value: undefined };
  }

  #abandon(): void {
    if (this.#isOver) return;
    this.#end();
    this.#rejectNext?.(this.#grace.signal.reason);
    // Not waited for: a generator that hangs answers only after its pending step.
    (async () => await this.#source.return?.())().catch(() => undefined); // its outcome is no longer read
  }

  #end(): void {
    this.#isOver = true;
    this.#grace[Symbol.dispose]();
  }
}
