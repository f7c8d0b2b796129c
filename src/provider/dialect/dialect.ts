import type { JsonObject } from "../../base/json.ts";
import type { ModelEvent, ModelRequest } from "../provider.ts";
import type { ServerSentEvent } from "../sse.ts";

/**
 * A wire dialect that several vendors share, as pure functions: no network, no clock, no state between calls.
 */
export interface Dialect {
  readonly name: "anthropic-messages" | "openai-chat" | "openai-responses";
  /** Appended to the base URL, e.g. `/messages`. */
  readonly path: string;
  /** The request body. Deterministic: the same request gives the same bytes, so that prompt caches hit. */
  body(request: ModelRequest, dress: DialectDress): JsonObject;
  /**
   * The stream of one answer as canonical events, the same whatever the chunking was; those of one chunk together.
   *
   * Unknown events and fields are passed over; unknown block types become opaque blocks. Ends after the finish, or
   * throws a `ProviderError`: an error inside the stream, a stream that broke off, bytes that are not the protocol.
   */
  read(
    events: AsyncIterable<readonly ServerSentEvent[]>,
    dress: DialectDress,
  ): AsyncIterable<readonly ModelEvent[]>;
}

/** What a vendor's adapter adds to a dialect. */
export interface DialectDress {
  readonly provider: string;
  readonly family: string;
  readonly model: string;
  /**
   * The names of the tools on offer, so that a call comes back under the name the tool has here: names that a wire
   * refuses (dots, more than 64 characters) are sent in another spelling.
   */
  readonly toolNames?: readonly string[];
  /** Quirks of one vendor, by name; absent ones are off. */
  readonly quirks?: DialectQuirks;
}

export interface DialectQuirks {
  /** Anthropic-style `cache_control` marks inside chat completions (OpenRouter passes them through). */
  readonly cacheControl?: boolean;
  /** Send `prompt_cache_key`. */
  readonly promptCacheKey?: boolean;
  /** Name of the output limit: `max_tokens` (default) or `max_completion_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * How a chat completion is asked to think: `reasoning_effort: "low"` (default), `reasoning: {effort}` (OpenRouter),
   * or `thinking: {type: "enabled"}` (Z.AI).
   */
  readonly thinkingField?: "reasoning_effort" | "reasoning" | "thinking";
}
