import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../../base/json.ts";
import { wellFormed } from "../../../base/text/text.ts";
import type { ArgumentsListener, FinishReason, ModelBlock } from "../../provider.ts";
import { ArgumentsFeed } from "../answer/arguments-feed.ts";
import { finishEvent } from "../answer/finish-event.ts";
import { streamFailure, streamInterrupted } from "../answer/stream-failure.ts";
import { TextRun } from "../answer/text-run.ts";
import { isCompleteCall, toolCall } from "../answer/tool-call.ts";
import type { AnswerReader, DialectContext, Emit } from "../dialect.ts";
import { openAiUsage } from "../openai-chat/openai-chat-usage.ts";

/** A call whose arguments come. */
interface BegunCall {
  readonly index: number;
  readonly name: string;
  text: string;
}

/** Content already shown of an unfinished output item. */
interface OpenItem {
  readonly index: number;
  readonly kind: "text" | "thinking";
  readonly run: TextRun;
  /** Part of the item that the last delta belonged to. */
  part: string;
}

/**
 * Reads one answer of the Responses API (PROV-05).
 *
 * Texts and summaries are shown as they come; the finished items determine the blocks. A message is one text, a
 * reasoning item is thinking and goes back whole. A function call is a tool call, and any other item is kept
 * unchanged. Only `response.completed` and `response.incomplete` end it well.
 */
export class ResponsesAnswerReader implements AnswerReader {
  readonly #context: DialectContext;
  readonly #emit: Emit;
  /** By output index or, from servers that send none, by item id. */
  readonly #open = new Map<string, OpenItem>();
  readonly #done = new Set<string>();
  readonly #feed: ArgumentsFeed;
  /** Calls that have begun, by the place of their item. */
  readonly #begunCalls = new Map<string, BegunCall>();
  #blocks = 0;
  #calls = 0;
  #isRefused = false;
  #isOver = false;

  constructor(context: DialectContext, emit: Emit, listener?: ArgumentsListener) {
    this.#context = context;
    this.#feed = new ArgumentsFeed(context, listener);
    this.#emit = emit;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(type: string, data: JsonObject): void {
    switch (type) {
      case "response.refusal.delta":
        this.#isRefused = true;
        this.#show("text", data);
        break;
      case "response.output_text.delta":
        this.#show("text", data);
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#show("thinking", data);
        break;
      case "response.output_item.added":
        this.#addToCall(placeOf(data), objectAt(data, "item") ?? {}, "");
        break;
      case "response.function_call_arguments.delta":
        this.#addToCall(placeOf(data), {}, stringAt(data, "delta") ?? "");
        break;
      case "response.output_item.done":
        this.#itemDone(placeOf(data), objectAt(data, "item") ?? {});
        break;
      case "response.completed":
      case "response.incomplete":
        this.#finish(objectAt(data, "response") ?? {}, type);
        break;
      case "response.failed":
        throw streamFailure(objectAt(objectAt(data, "response"), "error") ?? data, this.#context);
      case "response.cancelled":
        throw streamInterrupted(this.#context, "the answer was cancelled by the server");
      case "error":
        throw streamFailure(objectAt(data, "error") ?? { ...data, type: "" }, this.#context);
      default: // starts and ends of parts say nothing that the items do not; other events are of a later version
    }
  }

  endOfStream(): void {
    throw streamInterrupted(this.#context, "the stream ended before the answer did");
  }

  #show(kind: "text" | "thinking", data: JsonObject): void {
    const at = placeOf(data);
    const part = String(numberAt(data, "summary_index") ?? numberAt(data, "content_index") ?? 0);
    let item = this.#open.get(at);
    if (item === undefined) {
      item = { index: this.#blocks++, kind, run: new TextRun(), part };
      this.#open.set(at, item);
    }
    // Summaries of one item are paragraphs of one thought.
    const gap = item.part === part ? "" : "\n\n";
    item.part = part;
    const text = item.run.push(gap + (stringAt(data, "delta") ?? ""));
    if (text !== "") this.#emit({ kind: item.kind, index: item.index, text });
  }

  /** Adds to a call and passes it on. A place that no event names is nobody's. */
  #addToCall(at: string, item: JsonObject, text: string): void {
    if (at === "" || this.#done.has(at)) return;
    const known = this.#begunCalls.get(at);
    if (known === undefined && stringAt(item, "type") !== "function_call" && text === "") return;
    const call = known ?? { index: this.#blocks++, name: stringAt(item, "name") ?? "", text: "" };
    if (known === undefined) this.#begunCalls.set(at, call);
    call.text += text;
    this.#feed.add(call.index, call.name, { text, all: call.text });
  }

  /** Passes on what a finished call has beyond its pieces. */
  #feedRest(index: number, { at, item }: { readonly at: string; readonly item: JsonObject }): void {
    const [name, all] = [stringAt(item, "name") ?? "", stringAt(item, "arguments") ?? ""];
    const { text: before = "" } = this.#begunCalls.get(at) ?? {};
    this.#begunCalls.delete(at);
    if (all.startsWith(before)) this.#feed.add(index, name, { text: all.slice(before.length), all });
  }

  #itemDone(at: string, item: JsonObject): void {
    if (at !== "" && this.#done.has(at)) return;
    this.#done.add(at);
    const open = this.#open.get(at);
    this.#open.delete(at);
    const shown = open?.run.text ?? "";
    const block = this.#block(item, shown + (open?.run.end() ?? ""));
    if (block === undefined) return;
    if (block.type === "tool_use") this.#calls += 1;
    const index = open?.index ?? this.#begunCalls.get(at)?.index ?? this.#blocks++;
    if (block.type === "tool_use") this.#feedRest(index, { at, item });
    // The finished item is authoritative: content beyond the deltas is shown now.
    const isText = block.type === "text" || block.type === "thinking";
    const rest = isText && block.text.startsWith(shown) ? block.text.slice(shown.length) : "";
    if (isText && rest !== "") this.#emit({ kind: block.type, index, text: rest });
    this.#emit({ kind: "block", index, block });
  }

  #block(item: JsonObject, shown: string): ModelBlock | undefined {
    const family = this.#context.family;
    switch (stringAt(item, "type")) {
      case "message": {
        this.#isRefused ||= arrayAt(item, "content").some((part) => stringAt(part, "type") === "refusal");
        const text = wellFormed(messageText(item)) || shown;
        return text === "" ? undefined : { type: "text", text };
      }
      case "reasoning":
        return {
          type: "thinking",
          family,
          text: shown === "" ? wellFormed(reasoningText(item)) : shown,
          data: item,
        };
      case "function_call": {
        const argumentsText = stringAt(item, "arguments") ?? "";
        const isCut = stringAt(item, "status") === "incomplete" && !isCompleteCall(argumentsText);
        return isCut ? undefined : toolCall(stringAt(item, "name") ?? "", argumentsText, this.#context);
      }
      default:
        return { type: "opaque", family, data: item };
    }
  }

  #finish(response: JsonObject, type: string): void {
    const error = objectAt(response, "error");
    if (error !== undefined) throw streamFailure(error, this.#context);
    // Servers that send no event per item (or lost one) send all items at the end; items already seen are not repeated.
    const sawNone = this.#done.size === 0;
    for (const [position, item] of arrayAt(response, "output").entries()) {
      const at = String(position);
      if (isObject(item) && (sawNone || this.#open.has(at))) this.#itemDone(at, item);
    }
    for (const { index, kind, run } of this.#open.values()) {
      const text = run.text + run.end();
      if (kind === "text" && text !== "") this.#emit({ kind: "block", index, block: { type: "text", text } });
    }
    const usage = objectAt(response, "usage");
    if (usage !== undefined) this.#emit({ kind: "usage", usage: openAiUsage(usage) });
    const why = stringAt(objectAt(response, "incomplete_details"), "reason");
    const raw = why ?? stringAt(response, "status") ?? type;
    this.#emit(finishEvent(this.#isRefused ? "refused" : finishReason(type, why), raw, this.#calls));
    this.#isOver = true;
  }
}

function placeOf(data: JsonObject): string {
  const index = numberAt(data, "output_index");
  if (index !== undefined) return String(index);
  return stringAt(data, "item_id") ?? stringAt(objectAt(data, "item"), "id") ?? "";
}

function messageText(item: JsonObject): string {
  return arrayAt(item, "content")
    .map((part) => stringAt(part, "text") ?? stringAt(part, "refusal") ?? "")
    .join("");
}

function reasoningText(item: JsonObject): string {
  const parts = [...arrayAt(item, "summary"), ...arrayAt(item, "content")];
  return parts.flatMap((part) => stringAt(part, "text") ?? []).join("\n\n");
}

function finishReason(type: string, why: string | undefined): FinishReason {
  if (type === "response.completed") return "stop";
  return why === "content_filter" ? "refused" : "length";
}
