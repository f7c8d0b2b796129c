import type { JsonObject } from "../../base/json.ts";
import type { ArgumentsListener, Medium, ModelEvent, ModelRequest } from "../provider.ts";

/** A wire format that several vendors share: no network, no clock, no state between calls. */
export interface Dialect {
  readonly name: "anthropic-messages" | "openai-chat" | "openai-responses";
  /** Appended to the base URL, e.g. `/messages`. */
  readonly path: string;
  /** Returns the content beside text that the format carries, with the differences of a vendor. */
  carries(quirks?: DialectQuirks): readonly Medium[];
  /** Builds the request body. Deterministic: the same request gives the same bytes, so that prompt caches hit. */
  body(request: ModelRequest, context: DialectContext): JsonObject;
  /** Starts reading one answer. Passes its canonical events to `emit`, and the arguments of its calls to `listener`. */
  openAnswer(context: DialectContext, emit: Emit, listener?: ArgumentsListener): AnswerReader;
  /** Returns the model that a stream event names, if any. */
  modelIn(data: JsonObject): string | undefined;
  /**
   * Returns the text of a stream event that does nothing but add it to the answer, shown or not. Two such events that
   * differ in nothing else mean the same as one with both texts. Absent: its events differ in more, such as a number.
   */
  textIn?(type: string, data: JsonObject): string | undefined;
}

export type Emit = (event: ModelEvent) => void;

/** Type of the mark that ends some streams and is no JSON. */
export const STREAM_END_MARK = "[DONE]";

/**
 * Reads one answer, stream event by stream event. Its output depends on these events alone.
 *
 * Unknown events and fields are skipped; unknown block types become opaque blocks.
 */
export interface AnswerReader {
  /**
   * Takes one stream event: its type and its data.
   * @throws ProviderError for an error inside the stream; events emitted before stay valid.
   */
  take(type: string, data: JsonObject): void;
  /**
   * Call when the stream has ended.
   * @throws ProviderError StreamInterrupted if the answer has not ended.
   */
  endOfStream(): void;
  /** True after the finish event; the rest of the stream is ignored. */
  readonly isOver: boolean;
}

/** Vendor, model and tools that a dialect needs for one request. */
export interface DialectContext {
  readonly provider: string;
  readonly family: string;
  readonly model: string;
  /**
   * Names of the offered tools, to map a call's name back. Names that a provider refuses (dots, more than 64
   * characters) are sent in another spelling.
   */
  readonly toolNames?: readonly string[];
  /** Differences of the vendor; absent ones are off. */
  readonly quirks?: DialectQuirks;
}

export interface DialectQuirks {
  /** Sends Anthropic-style `cache_control` marks inside chat completions (OpenRouter forwards them). */
  readonly cacheControl?: boolean;
  /** Sends PDFs as `file` parts of chat completions. Other servers of that format refuse the whole request. */
  readonly fileParts?: boolean;
  /** Sends `prompt_cache_key`. */
  readonly promptCacheKey?: boolean;
  /** Name of the output limit: `max_tokens` (default) or `max_completion_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * Field that requests thinking: `reasoning_effort: "low"` (default), `reasoning: {effort}` (OpenRouter), or
   * `thinking: {type: "enabled"}` (Z.AI).
   */
  readonly thinkingField?: "reasoning_effort" | "reasoning" | "thinking";
}
