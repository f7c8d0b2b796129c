import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../base/json.ts";
import type { FinishReason, ModelEvent, Usage } from "../provider.ts";
import { NO_USAGE } from "../provider.ts";
import type { ServerSentEvent } from "../sse.ts";
import { OpenBlock } from "./anthropic-blocks.ts";
import type { DialectDress } from "./dialect.ts";
import { finish } from "./finish.ts";
import { streamFailure } from "./stream-failure.ts";
import type { WireEvent } from "./wire-events.ts";
import { gathered, interrupted, wireEvents } from "./wire-events.ts";

/**
 * One answer of the Messages API (PROV-02).
 *
 * Ends at `message_stop`, or at the end of the stream once a stop reason was told. A proxy that begins the answer
 * again in mid-stream (a second `message_start` with another id) is followed while only thinking had come; after
 * that the answer counts as broken off, so that no text is said and no call is made twice (R09).
 */
export async function* readAnthropic(
  events: AsyncIterable<readonly ServerSentEvent[]>,
  dress: DialectDress,
): AsyncGenerator<readonly ModelEvent[]> {
  const answer = new Answer(dress);
  for await (const batch of wireEvents(events, dress)) {
    yield* gathered(answer.takeAll(batch));
    if (answer.isStopped) return;
  }
  yield* gathered(answer.endOfStream());
}

class Answer {
  readonly #dress: DialectDress;
  readonly #open = new Map<number, OpenBlock>();
  /** A call that stopped without whole arguments: given on only when something follows that is no output limit. */
  #held: OpenBlock | undefined;
  #messageId: string | undefined;
  #blocks = 0;
  #calls = 0;
  #hasSpoken = false;
  #usage: Usage = NO_USAGE;
  #stopReason: string | undefined;
  isStopped = false;

  constructor(dress: DialectDress) {
    this.#dress = dress;
  }

  *takeAll(batch: readonly WireEvent[]): Generator<ModelEvent> {
    for (const { type, data } of batch) {
      yield* this.take(type, data);
      if (this.isStopped) return;
    }
  }

  *take(type: string, data: JsonObject): Generator<ModelEvent> {
    switch (type) {
      case "message_start":
        yield* this.#messageStart(objectAt(data, "message") ?? {});
        break;
      case "content_block_start":
        yield* this.#releaseHeld();
        yield* this.#blockStart(numberAt(data, "index") ?? 0, objectAt(data, "content_block") ?? {});
        break;
      case "content_block_delta": {
        const events = this.#open.get(this.#placeOf(data))?.take(objectAt(data, "delta") ?? {}) ?? [];
        this.#hasSpoken ||= events.some(({ kind }) => kind === "text");
        yield* events;
        break;
      }
      case "content_block_stop":
        yield* this.#blockStop(this.#placeOf(data));
        break;
      case "message_delta":
        this.#stopReason = stringAt(objectAt(data, "delta"), "stop_reason") ?? this.#stopReason;
        yield* this.#usageOf(objectAt(data, "usage"));
        break;
      case "message_stop":
        yield* this.#finish("message_stop");
        break;
      case "error":
        throw streamFailure(data["error"] ?? data, this.#dress);
      default: // pings, and events of a later version of the API
    }
  }

  *endOfStream(): Generator<ModelEvent> {
    if (this.#stopReason === undefined || this.#open.size > 0) {
      throw interrupted(this.#dress, "the stream ended before the answer did");
    }
    yield* this.#finish("end of stream");
  }

  *#messageStart(message: JsonObject): Generator<ModelEvent> {
    const id = stringAt(message, "id") ?? "";
    if (id === this.#messageId) return; // sent twice: the same message
    if (this.#messageId !== undefined) this.#beginAgain();
    this.#messageId = id;
    yield* this.#usageOf(objectAt(message, "usage"));
    for (const block of arrayAt(message, "content")) {
      if (!isObject(block)) continue;
      yield* this.#releaseHeld();
      yield* this.#blockStart(-1, block);
      yield* this.#blockStop(-1);
    }
    this.#stopReason = stringAt(message, "stop_reason");
  }

  #beginAgain(): void {
    if (this.#hasSpoken || this.#calls > 0 || this.#held !== undefined) {
      throw interrupted(this.#dress, "the answer began again in the middle");
    }
    this.#open.clear();
  }

  /** The block that an event means: the one it names, or, from gateways that count differently, the last begun. */
  #placeOf(data: JsonObject): number {
    const at = numberAt(data, "index") ?? -1;
    return this.#open.has(at) ? at : ([...this.#open.keys()].at(-1) ?? at);
  }

  *#blockStart(at: number, block: JsonObject): Generator<ModelEvent> {
    const open = new OpenBlock(block, () => this.#blocks++, this.#dress);
    this.#open.set(at, open);
    const events = open.start();
    this.#hasSpoken ||= events.some(({ kind }) => kind === "text");
    yield* events;
  }

  *#blockStop(at: number): Generator<ModelEvent> {
    const block = this.#open.get(at);
    this.#open.delete(at);
    if (block?.mayBeCut) this.#held = block;
    else if (block !== undefined) yield* this.#stopped(block);
  }

  *#releaseHeld(): Generator<ModelEvent> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) yield* this.#stopped(held);
  }

  *#stopped(block: OpenBlock): Generator<ModelEvent> {
    if (block.type === "tool_use") this.#calls += 1;
    yield* block.stop();
  }

  *#usageOf(usage: JsonObject | undefined): Generator<ModelEvent> {
    if (usage === undefined) return;
    const before = this.#usage;
    this.#usage = {
      inputTokens: numberAt(usage, "input_tokens") ?? before.inputTokens,
      outputTokens: numberAt(usage, "output_tokens") ?? before.outputTokens,
      cacheReadTokens: numberAt(usage, "cache_read_input_tokens") ?? before.cacheReadTokens,
      cacheWriteTokens: numberAt(usage, "cache_creation_input_tokens") ?? before.cacheWriteTokens,
    };
    yield { kind: "usage", usage: this.#usage };
  }

  *#finish(raw: string): Generator<ModelEvent> {
    const reason = finishReason(this.#stopReason);
    const isCut = reason === "length";
    if (!isCut) yield* this.#releaseHeld();
    for (const block of this.#open.values()) {
      // Left open by a careless server; only a call can be so incomplete that it must not be taken for whole.
      if (!block.mayBeCut) yield* this.#stopped(block);
      else if (!isCut) throw interrupted(this.#dress, "the answer ended within a tool call");
    }
    this.isStopped = true;
    yield finish(reason, this.#stopReason ?? raw, this.#calls);
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
