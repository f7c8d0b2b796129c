import type { JsonObject } from "../../../base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../../base/json.ts";
import type { ArgumentsListener, FinishReason, ModelEvent } from "../../provider.ts";
import { ArgumentsFeed } from "../answer/arguments-feed.ts";
import { callsInThinking } from "../answer/calls-in-thinking.ts";
import { finishEvent } from "../answer/finish-event.ts";
import { streamFailure, streamInterrupted } from "../answer/stream-failure.ts";
import { TextRun } from "../answer/text-run.ts";
import { toolCall } from "../answer/tool-call.ts";
import type { AnswerReader, DialectContext, Emit } from "../dialect.ts";
import { STREAM_END_MARK } from "../dialect.ts";
import { argumentsTextIn, ChatCalls } from "./openai-chat-calls.ts";
import { ChatReasoning, isReasoningField } from "./openai-chat-reasoning.ts";
import { chatUsage } from "./openai-chat-usage.ts";

type Part = "text" | "thinking";

/**
 * Reads one answer of a chat completion (PROV-03, PROV-04, PROV-05).
 *
 * Ends at `[DONE]`, or at the end of the stream after a finish reason: usage may follow the finish reason in a chunk
 * without choices. Only one answer is requested, so several choices are one answer that the server split (Copilot
 * sends text and calls apart). Text and thinking are each read from the first choice that sends them; tool calls are
 * read from every choice.
 */
export class ChatAnswerReader implements AnswerReader {
  readonly #context: DialectContext;
  readonly #emit: Emit;
  readonly #calls: ChatCalls;
  readonly #choiceOf: { [part in Part]?: number } = {};
  /** The open run of text or thinking. */
  #run: { readonly part: Part; readonly index: number; readonly text: TextRun } | undefined;
  readonly #reasoning = new ChatReasoning();
  #lastThinking = "";
  #hasText = false;
  #blocks = 0;
  #finishReason: string | undefined;
  #isRefused = false;
  #isOver = false;

  constructor(context: DialectContext, emit: Emit, listener?: ArgumentsListener) {
    this.#calls = new ChatCalls(new ArgumentsFeed(context, listener));
    this.#context = context;
    this.#emit = emit;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  take(type: string, chunk: JsonObject): void {
    if (type === STREAM_END_MARK) {
      this.#finish(STREAM_END_MARK);
      return;
    }
    const error = chunk["error"];
    if (error !== undefined && error !== null) throw streamFailure(error, this.#context);
    for (const choice of arrayAt(chunk, "choices")) {
      if (isObject(choice)) this.#takeChoice(choice);
    }
    const usage = chatUsage(chunk);
    if (usage !== undefined) this.#emit({ kind: "usage", usage });
  }

  endOfStream(): void {
    if (this.#finishReason === undefined) {
      throw streamInterrupted(this.#context, "the stream ended before the answer did");
    }
    this.#finish("end of stream");
  }

  #finish(raw: string): void {
    const reason = this.#isRefused ? "refused" : finishReason(this.#finishReason);
    this.#endRun();
    if (this.#reasoning.isPending) this.#emit(this.#thinkingBlock(this.#blocks++, ""));
    if (reason === "error")
      throw streamFailure({ message: `finished with "${this.#finishReason}"` }, this.#context);
    const isCut = reason === "length" || reason === "refused";
    for (const event of this.#calls.end(isCut, this.#context)) this.#emit(event);
    const found = isCut ? 0 : this.#callsInThinking();
    this.#emit(finishEvent(reason, this.#finishReason ?? raw, this.#calls.count + found));
    this.#isOver = true;
  }

  /** Handles an answer of thinking only that ends with written calls: the model meant to make them. */
  #callsInThinking(): number {
    if (this.#calls.count > 0 || this.#hasText) return 0;
    const calls = callsInThinking(this.#lastThinking);
    for (const { name, arguments: json } of calls)
      this.#emit({ kind: "block", index: this.#blocks++, block: toolCall(name, json, this.#context) });
    return calls.length;
  }

  #takeChoice(choice: JsonObject): void {
    const error = choice["error"];
    if (isObject(error)) throw streamFailure(error, this.#context);
    const at = numberAt(choice, "index") ?? 0;
    const delta = objectAt(choice, "delta") ?? objectAt(choice, "message") ?? {};
    this.#add("thinking", at, this.#reasoning.take(delta));
    for (const part of contentParts(delta["content"] ?? choice["text"])) {
      this.#add(part.part, at, part.text);
    }
    const refusal = stringAt(delta, "refusal") ?? "";
    if (refusal !== "") this.#isRefused = true;
    this.#add("text", at, refusal);
    this.#takeCalls(at, delta);
    const reason = stringAt(choice, "finish_reason") ?? "";
    if (reason !== "") this.#finishReason ??= reason;
  }

  #takeCalls(at: number, delta: JsonObject): void {
    const legacy = objectAt(delta, "function_call");
    const deltas = [...arrayAt(delta, "tool_calls"), ...(legacy === undefined ? [] : [legacy])];
    if (deltas.length > 0) this.#endRun();
    for (const [position, call] of deltas.entries()) {
      if (isObject(call)) this.#calls.take(at, call, position, () => this.#blocks++);
    }
  }

  /** Adds to the run. Ends it first when text follows thinking or thinking follows text. */
  #add(part: Part, choice: number, delta: string): void {
    if (delta === "") return;
    this.#choiceOf[part] ??= choice;
    if (this.#choiceOf[part] !== choice) return;
    if (this.#run?.part !== part) {
      this.#endRun();
      this.#run = { part, index: this.#blocks++, text: new TextRun() };
    }
    const text = this.#run.text.push(delta);
    if (text !== "") this.#emit({ kind: part, index: this.#run.index, text });
  }

  #endRun(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    const rest = run.text.end();
    if (rest !== "") this.#emit({ kind: run.part, index: run.index, text: rest });
    const text = run.text.text;
    if (run.part === "thinking") this.#lastThinking = text;
    else this.#hasText ||= text.trim() !== "";
    if (run.part === "thinking") this.#emit(this.#thinkingBlock(run.index, text));
    else this.#emit({ kind: "block", index: run.index, block: { type: "text", text } });
  }

  #thinkingBlock(index: number, text: string): ModelEvent {
    const data = this.#reasoning.end(text);
    return { kind: "block", index, block: { type: "thinking", family: this.#context.family, text, data } };
  }
}

/** Returns the text of a chunk that only adds to the text, to the thinking, or to the arguments of a call. */
export function chatTextIn(chunk: JsonObject): string | undefined {
  const [choice, ...others] = arrayAt(chunk, "choices");
  const delta = objectAt(choice, "delta");
  if (delta === undefined || others.length > 0 || !isEmpty(chunk["error"])) return undefined;
  if (objectAt(choice, "error") !== undefined || (stringAt(choice, "text") ?? "") !== "") return undefined;
  const filled = Object.keys(delta).filter((key) => key !== "role" && !isEmpty(delta[key]));
  const [field = "content", other] = filled;
  if (other !== undefined) return undefined;
  if (field === "content" || isReasoningField(field)) return stringAt(delta, field);
  return field === "tool_calls" ? argumentsTextIn(arrayAt(delta, field)) : undefined;
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

/** Content is a string, or a list of parts (Mistral) of which some are thinking. */
function contentParts(content: unknown): readonly { readonly part: Part; readonly text: string }[] {
  if (typeof content === "string") return [{ part: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((item: unknown) => {
    const thinking = arrayAt(item, "thinking").map((inner) => stringAt(inner, "text") ?? "");
    if (thinking.length > 0) return { part: "thinking", text: thinking.join("") };
    return { part: "text", text: stringAt(item, "text") ?? "" };
  });
}

function finishReason(raw: string | undefined): FinishReason {
  switch (raw) {
    case "length":
    case "max_tokens":
    case "model_length":
    case "model_context_window_exceeded":
      return "length";
    case "content_filter":
    case "sensitive":
    case "refusal":
      return "refused";
    case "error":
    case "network_error":
    case "insufficient_system_resource":
      return "error";
    default:
      return "stop";
  }
}
