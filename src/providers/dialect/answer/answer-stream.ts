import type { JsonObject } from "../../../base/json.ts";
import { isObject, parseJson, stringAt } from "../../../base/json.ts";
import { head, wellFormed } from "../../../base/text/text.ts";
import { EventStreamReader, EventTooLarge } from "../../http/stream/sse.ts";
import type { TextPattern } from "../../http/stream/text-pattern.ts";
import type { ArgumentsListener, ModelEvent } from "../../provider.ts";
import type { AnswerReader, Dialect, DialectContext } from "../dialect.ts";
import { STREAM_END_MARK } from "../dialect.ts";
import { patternAround } from "./pattern-around.ts";
import { bodyFailure, streamInterrupted, streamMalformed } from "./stream-failure.ts";

const EXCERPT_UNITS_MAX = 200;
const MODEL_UNITS_MAX = 256;
/** Characters kept of a body without any event, to describe it. */
const BODY_UNITS_MAX = 8_192;
/** Beginning of a stream of events, or part of it. */
const STREAM_START = /^\ufeff?\s*(?::|(?:data|event|id|retry)(?:[:\r\n]|$)|$)/;
/** Whole events without data. Routers send comments while they wait: a stream that ends after one broke off. */
const NO_DATA = /^\ufeff?(?:(?:event[^\r\n]*|data:?[ \t]*)?[\r\n]+)+$/;
const FIELD_STARTS = /^\ufeff?\s*(?:d(?:at?)?|e(?:v(?:en?)?)?|i|r(?:e(?:tr?)?)?)$/;

/** Result of one chunk: events, then the failure that ended the answer, if any. */
export interface AnswerChunk {
  readonly events: readonly ModelEvent[];
  /** A ProviderError. */
  readonly failure?: unknown;
}

/**
 * Converts the bytes of one answer into canonical events: server-sent events, JSON, dialect. Chunk boundaries do not
 * change the result. Push only; it never waits.
 *
 * Empty data, and JSON that is no object, is a keep-alive of some servers and is skipped. Data that is not JSON is
 * StreamMalformed, except as the last of the stream: then the stream broke off inside it.
 */
export class AnswerStream {
  readonly #dialect: Dialect;
  readonly #context: DialectContext;
  readonly #answer: AnswerReader;
  readonly #reader: EventStreamReader;
  #events: ModelEvent[] = [];
  /** The event that was taken last. */
  #taken: { readonly type: string; readonly data: JsonObject } | undefined;
  #broken: string | undefined;
  /** Model that the answer names. */
  #model: string | undefined;
  /** Text before the first event. */
  #body = "";
  readonly #decoder = new TextDecoder("utf-8");
  #hasEvents = false;
  /** True after an event of the protocol, or what may be one. */
  #hasAnswered = false;

  /** @param listener gets the arguments of calls at once, before `push` returns. */
  constructor(dialect: Dialect, context: DialectContext, listener?: ArgumentsListener) {
    this.#dialect = dialect;
    this.#context = context;
    this.#answer = dialect.openAnswer(context, (event) => this.#emit(event), listener);
    this.#reader = new EventStreamReader(
      (name, data) => this.#take(name, data),
      (data) => this.#patternOf(data),
    );
  }

  /** True when the answer is complete; later bytes are ignored. */
  get isOver(): boolean {
    return this.#answer.isOver;
  }

  push(chunk: Uint8Array): AnswerChunk {
    if (!this.#hasEvents && this.#body.length < BODY_UNITS_MAX) {
      this.#body += this.#decoder.decode(chunk.subarray(0, BODY_UNITS_MAX), { stream: true });
    }
    try {
      this.#reader.push(chunk);
    } catch (thrown) {
      return this.#piece(thrown);
    }
    return this.#piece();
  }

  /** Call at the end of the bytes. */
  end(): AnswerChunk {
    try {
      this.#reader.end();
      if (!this.isOver) this.#endOfStream();
    } catch (thrown) {
      return this.#piece(thrown);
    }
    return this.#piece();
  }

  #take(name: string, text: string): void {
    if (this.isOver) return;
    if (this.#broken !== undefined) throw this.#brokenFailure(this.#broken, false);
    this.#taken = undefined;
    const data = text.trim();
    if (data === "") return;
    this.#hasEvents = true;
    this.#body = "";
    if (data === STREAM_END_MARK) {
      this.#answer.take(STREAM_END_MARK, {});
      return;
    }
    const parsed = parseJson(data);
    if (parsed === undefined) this.#broken = head(data, EXCERPT_UNITS_MAX);
    else if (isObject(parsed.value)) {
      this.#hasAnswered = true;
      this.#model ??= this.#dialect.modelIn(parsed.value) || undefined;
      const type = stringAt(parsed.value, "type") ?? name;
      this.#taken = { type, data: parsed.value };
      this.#answer.take(type, parsed.value);
    }
  }

  /** Returns the pattern of the event that was taken last, if all it did was to add a text. */
  #patternOf(data: string): TextPattern | undefined {
    if (this.#taken === undefined || this.isOver) return undefined;
    const { type } = this.#taken;
    const textIn = (value: JsonObject) => this.#dialect.textIn?.(type, value);
    const text = textIn(this.#taken.data);
    return text === undefined ? undefined : patternAround(text, data, textIn);
  }

  #emit(event: ModelEvent): void {
    if (event.kind !== "finish" || this.#model === undefined) this.#events.push(event);
    else this.#events.push({ ...event, model: wellFormed(head(this.#model, MODEL_UNITS_MAX)) });
  }

  #endOfStream(): void {
    if (this.#broken !== undefined) throw this.#brokenFailure(this.#broken, true);
    if (!this.#hasAnswered && (this.#hasEvents || NO_DATA.test(this.#body)))
      throw bodyFailure("", this.#context);
    const isStream = STREAM_START.test(this.#body) || FIELD_STARTS.test(this.#body);
    if (!this.#hasEvents && (this.#body.trim() === "" || !isStream))
      throw bodyFailure(this.#body, this.#context);
    this.#answer.endOfStream();
  }

  /**
   * Returns the failure for data that is not JSON. If it comes first and does not look like JSON, no model server
   * sent it.
   */
  #brokenFailure(broken: string, isLast: boolean): unknown {
    if (!this.#hasAnswered && !/^[{["]/.test(broken)) return bodyFailure(broken, this.#context);
    if (isLast) return streamInterrupted(this.#context, "the stream ended within an event");
    return streamMalformed(this.#context, `not JSON: ${broken}`);
  }

  #piece(thrown?: unknown): AnswerChunk {
    const events = this.#events;
    this.#events = [];
    if (thrown === undefined || this.isOver) return { events };
    const failure = thrown instanceof EventTooLarge ? streamMalformed(this.#context, thrown.message) : thrown;
    return { events, failure };
  }
}
