import type { Clock } from "../../../base/world.ts";

/** Time that a piece waits for more when it closely follows another. */
export const BATCH_MS = 16;
/** The same for an answer that nobody sees before its end. */
export const UNWATCHED_BATCH_MS = 100;
const GATHER_BYTES_MAX = 65_536;

export interface BatchReaderOptions {
  readonly clock: Clock;
  /** See `ModelRequest`. */
  readonly isUnwatched?: boolean | undefined;
}

/**
 * Reads a body and combines small pieces of it. The first piece, and one after a pause, is returned at once. A piece
 * within 16 ms of the previous one (100 ms if it is unwatched) waits for the rest of that time and is joined with
 * everything that arrives; the end of the body ends the wait.
 *
 * A stream of small deltas then costs a third of the work in each process that it passes, without a visible delay. At
 * most 64 KiB are read ahead.
 */
export class BatchReader implements Disposable {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #clock: Clock;
  readonly #batchMs: number;
  #parts: Uint8Array[] = [];
  #size = 0;
  #isReading = false;
  #ended: { readonly thrown?: unknown } | undefined;
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #handedMs = Number.NEGATIVE_INFINITY;
  #timer: Disposable | undefined;

  constructor(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    { clock, isUnwatched = false }: BatchReaderOptions,
  ) {
    this.#reader = reader;
    this.#clock = clock;
    this.#batchMs = isUnwatched ? UNWATCHED_BATCH_MS : BATCH_MS;
  }

  /**
   * Returns the next pieces; undefined at the end. Call it again when it has resolved.
   * @throws the error of the body, after everything that came before it.
   */
  next(): Promise<Uint8Array | undefined> {
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.#advance();
    return promise;
  }

  /** Frees the timer. What waits stays unanswered, unless the body ends. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #advance(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const isOver = this.#ended !== undefined;
    if (!isOver && (this.#size === 0 || (this.#size < GATHER_BYTES_MAX && !this.#isDue()))) {
      this.#read();
      return;
    }
    this.#waiting = undefined;
    if (this.#size > 0) waiting.resolve(this.#handOver());
    else if (this.#ended !== undefined && "thrown" in this.#ended) waiting.reject(this.#ended.thrown);
    else waiting.resolve(undefined);
  }

  #isDue(): boolean {
    if (this.#timer !== undefined) return false;
    const leftMs = this.#handedMs + this.#batchMs - this.#clock.monotonic();
    if (leftMs <= 0) return true;
    this.#timer = this.#clock.timer(leftMs, this.#onTime);
    return false;
  }

  readonly #onTime = (): void => {
    this.#timer = undefined;
    this.#handedMs = Number.NEGATIVE_INFINITY;
    this.#advance();
  };

  #handOver(): Uint8Array {
    this[Symbol.dispose]();
    const [first = new Uint8Array(), ...more] = this.#parts;
    const bytes = more.length === 0 ? first : joined(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    this.#handedMs = this.#clock.monotonic();
    return bytes;
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#reader.read().then(this.#onPiece, this.#onFailure);
  }

  readonly #onPiece = ({ value }: { readonly value?: Uint8Array | undefined }): void => {
    this.#isReading = false;
    if (value === undefined) this.#ended = {};
    else {
      this.#parts.push(value);
      this.#size += value.length;
    }
    this.#advance();
  };

  readonly #onFailure = (thrown: unknown): void => {
    this.#isReading = false;
    this.#ended = { thrown };
    this.#advance();
  };
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
