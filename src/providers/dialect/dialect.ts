import type { JsonObject } from "../../base/json.ts";
import type { ModelEvent, ModelRequest } from "../provider.ts";

/**
 * A wire dialect that several vendors share: no network, no clock, no state between calls.
 */
export interface Dialect {
  readonly name: "anthropic-messages" | "openai-chat" | "openai-responses";
  /** Appended to the base URL, e.g. `/messages`. */
  readonly path: string;
  /** The request body. Deterministic: the same request gives the same bytes, so that prompt caches hit. */
  body(request: ModelRequest, dress: DialectDress): JsonObject;
  /** Begins to read one answer, whose canonical events are handed to `emit` as they come about. */
  begin(dress: DialectDress, emit: Emit): Answer;
  /** Returns the model that one event of the wire names, if it names one. */
  modelIn(data: JsonObject): string | undefined;
}

export type Emit = (event: ModelEvent) => void;

/** The type of the mark that ends some streams, which is no JSON. */
export const DONE = "[DONE]";

/**
 * One answer, event by event of its wire. What it emits depends on them alone.
 *
 * Unknown events and fields are passed over; unknown block types become opaque blocks.
 */
export interface Answer {
  /**
   * Takes one event of the wire: its type, and its data.
   * @throws ProviderError for an error inside the stream; what was emitted before counts.
   */
  take(type: string, data: JsonObject): void;
  /**
   * The stream has ended.
   * @throws ProviderError StreamInterrupted where the answer has not.
   */
  endOfStream(): void;
  /** The finish was emitted: what the stream still brings says nothing more. */
  readonly isOver: boolean;
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
