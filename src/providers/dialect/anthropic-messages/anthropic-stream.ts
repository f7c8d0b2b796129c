import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../../base/json.ts";
import type { ArgumentsListener, FinishReason, ModelUsage } from "../../provider.ts";
import { NO_USAGE } from "../../provider.ts";
import { tokensAt } from "../../token-count.ts";
import { ArgumentsFeed } from "../answer/arguments-feed.ts";
import { finishEvent } from "../answer/finish-event.ts";
import { streamFailure, streamInterrupted } from "../answer/stream-failure.ts";
import type { AnswerReader, DialectContext, Emit } from "../dialect.ts";
import { OpenBlock } from "./anthropic-blocks.ts";

/**
 * Reads one answer of the Messages API (PROV-02).
 *
 * Ends at `message_stop`, or at the end of the stream after a stop reason. A proxy may begin the answer again in
 * mid-stream (a second `message_start` with another id). The reader accepts that while only thinking has come. After
 * that the answer counts as broken off, so that no text or call is repeated (R09).
 */
export class AnthropicAnswerReader implements AnswerReader {
  readonly #context: DialectContext;
  readonly #emit: Emit;
  readonly #feed: ArgumentsFeed;
  readonly #open = new Map<number, OpenBlock>();
  /** A call that stopped with incomplete arguments. Emitted only if another event than an output limit follows. */
  #held: OpenBlock | undefined;
  #messageId: string | undefined;
  #blocks = 0;
  #calls = 0;
  #hasSpoken = false;
  #usage: ModelUsage = NO_USAGE;
  #stopReason: string | undefined;
  #isOver = false;

  constructor(context: DialectContext, emit: Emit, listener?: ArgumentsListener) {
    this.#context = context;
    this.#feed = new ArgumentsFeed(context, listener);
    this.#emit = (event) => {
      this.#hasSpoken ||= event.kind === "text";
      emit(event);
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(type: string, data: JsonObject): void {
    switch (type) {
      case "message_start":
        this.#messageStart(objectAt(data, "message") ?? {});
        break;
      case "content_block_start":
        this.#releaseHeld();
        this.#blockStart(numberAt(data, "index") ?? 0, objectAt(data, "content_block") ?? {});
        break;
      case "content_block_delta":
        this.#open.get(this.#placeOf(data))?.take(objectAt(data, "delta") ?? {});
        break;
      case "content_block_stop":
        this.#blockStop(this.#placeOf(data));
        break;
      case "message_delta":
        this.#stopReason = stringAt(objectAt(data, "delta"), "stop_reason") ?? this.#stopReason;
        this.#usageOf(objectAt(data, "usage"));
        break;
      case "message_stop":
        this.#finish("message_stop");
        break;
      case "error":
        throw streamFailure(data["error"] ?? data, this.#context);
      default: // pings, and events of a later version of the API
    }
  }

  endOfStream(): void {
    if (this.#stopReason === undefined || this.#open.size > 0) {
      throw streamInterrupted(this.#context, "the stream ended before the answer did");
    }
    this.#finish("end of stream");
  }

  #messageStart(message: JsonObject): void {
    const id = stringAt(message, "id") ?? "";
    if (id === this.#messageId) return; // a repeat of the same message
    if (this.#messageId !== undefined) this.#beginAgain();
    this.#messageId = id;
    this.#usageOf(objectAt(message, "usage"));
    for (const block of arrayAt(message, "content")) {
      if (!isObject(block)) continue;
      this.#releaseHeld();
      this.#blockStart(-1, block);
      this.#blockStop(-1);
    }
    this.#stopReason = stringAt(message, "stop_reason");
  }

  #beginAgain(): void {
    if (this.#hasSpoken || this.#calls > 0 || this.#held !== undefined) {
      throw streamInterrupted(this.#context, "the answer began again in the middle");
    }
    this.#open.clear();
  }

  /** Returns the block of an event: the one it names or, for gateways that count differently, the last begun. */
  #placeOf(data: JsonObject): number {
    const at = numberAt(data, "index") ?? -1;
    return this.#open.has(at) ? at : ([...this.#open.keys()].at(-1) ?? at);
  }

  #blockStart(at: number, block: JsonObject): void {
    const nextIndex = () => this.#blocks++;
    const open = new OpenBlock(block, {
      nextIndex,
      emit: this.#emit,
      feed: this.#feed,
      context: this.#context,
    });
    this.#open.set(at, open);
    open.start();
  }

  #blockStop(at: number): void {
    const block = this.#open.get(at);
    this.#open.delete(at);
    if (block?.mayBeCut) this.#held = block;
    else if (block !== undefined) this.#stopped(block);
  }

  #releaseHeld(): void {
    const pending = this.#held;
    this.#held = undefined;
    if (pending !== undefined) this.#stopped(pending);
  }

  #stopped(block: OpenBlock): void {
    if (block.type === "tool_use") this.#calls += 1;
    block.stop();
  }

  #usageOf(usage: JsonObject | undefined): void {
    if (usage === undefined) return;
    const before = this.#usage;
    this.#usage = {
      inputTokens: tokensAt(usage, "input_tokens") ?? before.inputTokens,
      outputTokens: tokensAt(usage, "output_tokens") ?? before.outputTokens,
      cacheReadTokens: tokensAt(usage, "cache_read_input_tokens") ?? before.cacheReadTokens,
      cacheWriteTokens: tokensAt(usage, "cache_creation_input_tokens") ?? before.cacheWriteTokens,
    };
    this.#emit({ kind: "usage", usage: this.#usage });
  }

  #finish(raw: string): void {
    const reason = finishReason(this.#stopReason);
    const isCut = reason === "length";
    if (!isCut) this.#releaseHeld();
    for (const block of this.#open.values()) {
      // A careless server left it open; only a call can be too incomplete to accept.
      if (!block.mayBeCut) this.#stopped(block);
      else if (!isCut) throw streamInterrupted(this.#context, "the answer ended within a tool call");
    }
    this.#emit(finishEvent(reason, this.#stopReason ?? raw, this.#calls));
    this.#isOver = true;
  }
}

function finishReason(stopReason: string | undefined): FinishReason {
  switch (stopReason) {
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refused";
    case "pause_turn":
    case "compaction":
      return "paused";
    default:
      return "stop";
  }
}

/** Returns the text of a delta of text, thinking or arguments: a block only adds them up. */
export function anthropicTextIn(type: string, data: JsonObject): string | undefined {
  if (type !== "content_block_delta") return undefined;
  const delta = objectAt(data, "delta");
  switch (stringAt(delta, "type")) {
    case "text_delta":
      return stringAt(delta, "text");
    case "thinking_delta":
      return stringAt(delta, "thinking");
    case "input_json_delta":
      return stringAt(delta, "partial_json");
    default:
      return undefined;
  }
}
