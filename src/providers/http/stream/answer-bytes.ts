import { ProviderError } from "../../error.ts";
import type { HttpAttempt } from "../attempt.ts";
import { describeNetworkError } from "../connection-error.ts";
import type { Phase } from "../silence.ts";
import { BatchReader } from "./batch-reader.ts";

/** The bytes of one answer. Disposing it ends the request and frees its socket at any point. */
export class AnswerBytes implements AsyncDisposable {
  readonly #attempt: HttpAttempt;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #pieces: BatchReader | undefined;
  readonly #firstByte: Phase;
  readonly #streaming: Phase;
  readonly #startedMs: number;
  #bytes = 0;
  #isEnded: boolean;

  constructor(attempt: HttpAttempt, body: ReadableStream<Uint8Array> | null) {
    const { call, limits } = attempt;
    this.#attempt = attempt;
    this.#reader = body?.getReader();
    this.#pieces = this.#reader === undefined ? undefined : new BatchReader(this.#reader, call);
    this.#isEnded = body === null;
    this.#firstByte = { name: "waiting for the first byte", msMax: limits.firstByteMsMax };
    this.#streaming = { name: "streaming its answer", msMax: limits.silenceMsMax };
    this.#startedMs = call.clock.monotonic();
    attempt.noteLife();
  }

  /**
   * Returns the next bytes, as `BatchReader` combines them; undefined at the end.
   *
   * @throws ProviderError for a broken connection, too long a silence, or an answer above its limits.
   * @throws signal.reason when cancelled.
   */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#pieces === undefined || this.#isEnded) return undefined;
    const attempt = this.#attempt;
    attempt.signal.throwIfAborted();
    attempt.waitFor(this.#bytes === 0 ? this.#firstByte : this.#streaming);
    try {
      const bytes = await this.#pieces.next();
      attempt.signal.throwIfAborted();
      attempt.noteLife();
      if (bytes === undefined) this.#isEnded = true;
      else this.#count(bytes);
      return bytes;
    } catch (thrown) {
      attempt.end();
      throw attempt.explain(thrown, (broken) => this.#asFailure(broken));
    }
  }

  /**
   * Reads the rest after the finish event, within `drainMsMax`, so that the connection can serve the next round: an
   * unread body closes it.
   */
  async drain(): Promise<void> {
    if (this.#isEnded) return;
    const { call, limits } = this.#attempt;
    const stop = () => this.#attempt.end(new Error("drained for long enough"));
    using _limit = call.clock.timer(limits.drainMsMax, stop);
    try {
      while ((await this.read()) !== undefined);
    } catch {
      // The answer is complete already; only a connection is lost.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#attempt.settle();
    this.#pieces?.[Symbol.dispose]();
    if (this.#isEnded) return;
    this.#attempt.end(new Error("the answer was left"));
    await this.#reader?.cancel().catch(() => undefined); // it may be broken already
  }

  /** @throws ProviderError for an answer above its limits. */
  #count(chunk: Uint8Array): void {
    const { call, limits } = this.#attempt;
    this.#bytes += chunk.length;
    if (this.#bytes > limits.answerBytesMax)
      throw this.#brokenOff(`it is above ${limits.answerBytesMax} bytes`);
    const ms = call.clock.monotonic() - this.#startedMs;
    if (ms > limits.answerMsMax) throw this.#brokenOff(`no end within ${limits.answerMsMax / 1_000} s`);
  }

  #asFailure(thrown: unknown): unknown {
    return thrown instanceof ProviderError ? thrown : this.#brokenOff(describeNetworkError(thrown), thrown);
  }

  #brokenOff(detail: string, cause?: unknown): ProviderError {
    const { provider } = this.#attempt.call;
    return new ProviderError("StreamInterrupted", { provider, detail }, { transient: true, cause });
  }
}
