import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../base/json.ts";
import type { FinishReason, ModelEvent } from "../provider.ts";
import type { ServerSentEvent } from "../sse.ts";
import type { DialectDress } from "./dialect.ts";
import { finish } from "./finish.ts";
import { ChatCalls } from "./openai-chat-calls.ts";
import { ChatReasoning } from "./openai-chat-reasoning.ts";
import { chatUsage } from "./openai-chat-usage.ts";
import { streamFailure } from "./stream-failure.ts";
import { TextRun } from "./text-run.ts";
import type { WireEvent } from "./wire-events.ts";
import { DONE, gathered, interrupted, wireEvents } from "./wire-events.ts";

/**
 * One answer of a chat completion (PROV-03, PROV-04, PROV-05).
 *
 * Ends at `[DONE]`, or at the end of the stream once a finish reason was told: usage may come after the finish
 * reason, in a chunk without choices. Only one answer is ever asked for, so several choices are one answer that its
 * server split (Copilot sends text and calls apart): the first choice that brings text or thinking keeps that part,
 * and tool calls are taken from every choice.
 */
export async function* readOpenAiChat(
  events: AsyncIterable<readonly ServerSentEvent[]>,
  dress: DialectDress,
): AsyncGenerator<readonly ModelEvent[]> {
  const answer = new Answer(dress);
  for await (const batch of wireEvents(events, dress)) {
    yield* gathered(answer.takeAll(batch));
    if (answer.isDone) return;
  }
  yield* gathered(answer.endOfStream());
}

type Part = "text" | "thinking";

class Answer {
  readonly #dress: DialectDress;
  readonly #calls = new ChatCalls();
  readonly #choiceOf: { [part in Part]?: number } = {};
  /** The run of text or thinking that is being added to. */
  #run: { readonly part: Part; readonly index: number; readonly text: TextRun } | undefined;
  readonly #reasoning = new ChatReasoning();
  #blocks = 0;
  #finishReason: string | undefined;
  #isRefused = false;
  isDone = false;

  constructor(dress: DialectDress) {
    this.#dress = dress;
  }

  *takeAll(batch: readonly WireEvent[]): Generator<ModelEvent> {
    for (const { type, data } of batch) {
      if (type === DONE) {
        this.isDone = true;
        return yield* this.finish(DONE);
      }
      yield* this.take(data);
    }
  }

  *take(chunk: JsonObject): Generator<ModelEvent> {
    const error = chunk["error"];
    if (error !== undefined && error !== null) throw streamFailure(error, this.#dress);
    for (const choice of arrayAt(chunk, "choices")) {
      if (isObject(choice)) yield* this.#takeChoice(choice);
    }
    const usage = chatUsage(chunk);
    if (usage !== undefined) yield { kind: "usage", usage };
  }

  *endOfStream(): Generator<ModelEvent> {
    if (this.#finishReason === undefined) {
      throw interrupted(this.#dress, "the stream ended before the answer did");
    }
    yield* this.finish("end of stream");
  }

  *finish(raw: string): Generator<ModelEvent> {
    const reason = this.#isRefused ? "refused" : finishReason(this.#finishReason);
    yield* this.#endRun();
    if (this.#reasoning.isPending) yield this.#thinkingBlock(this.#blocks++, "");
    if (reason === "error")
      throw streamFailure({ message: `finished with "${this.#finishReason}"` }, this.#dress);
    yield* this.#calls.end(reason === "length" || reason === "refused", this.#dress);
    yield finish(reason, this.#finishReason ?? raw, this.#calls.count);
  }

  *#takeChoice(choice: JsonObject): Generator<ModelEvent> {
    const error = choice["error"];
    if (isObject(error)) throw streamFailure(error, this.#dress);
    const at = numberAt(choice, "index") ?? 0;
    const delta = objectAt(choice, "delta") ?? objectAt(choice, "message") ?? {};
    yield* this.#add("thinking", at, this.#reasoning.take(delta));
    for (const part of contentParts(delta["content"] ?? choice["text"])) {
      yield* this.#add(part.part, at, part.text);
    }
    const refusal = stringAt(delta, "refusal") ?? "";
    if (refusal !== "") this.#isRefused = true;
    yield* this.#add("text", at, refusal);
    yield* this.#takeCalls(at, delta);
    const reason = stringAt(choice, "finish_reason") ?? "";
    if (reason !== "") this.#finishReason ??= reason;
  }

  *#takeCalls(at: number, delta: JsonObject): Generator<ModelEvent> {
    const legacy = objectAt(delta, "function_call");
    const deltas = [...arrayAt(delta, "tool_calls"), ...(legacy === undefined ? [] : [legacy])];
    if (deltas.length > 0) yield* this.#endRun();
    for (const [position, call] of deltas.entries()) {
      if (isObject(call)) this.#calls.take(at, call, position, () => this.#blocks++);
    }
  }

  /** Adds to the run, ending it first where text follows thinking or thinking text. */
  *#add(part: Part, choice: number, delta: string): Generator<ModelEvent> {
    if (delta === "") return;
    this.#choiceOf[part] ??= choice;
    if (this.#choiceOf[part] !== choice) return;
    if (this.#run?.part !== part) {
      yield* this.#endRun();
      this.#run = { part, index: this.#blocks++, text: new TextRun() };
    }
    const text = this.#run.text.push(delta);
    if (text !== "") yield { kind: part, index: this.#run.index, text };
  }

  *#endRun(): Generator<ModelEvent> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    const rest = run.text.end();
    if (rest !== "") yield { kind: run.part, index: run.index, text: rest };
    const text = run.text.text;
    if (run.part === "thinking") yield this.#thinkingBlock(run.index, text);
    else yield { kind: "block", index: run.index, block: { type: "text", text } };
  }

  #thinkingBlock(index: number, text: string): ModelEvent {
    const data = this.#reasoning.end(text);
    return { kind: "block", index, block: { type: "thinking", family: this.#dress.family, text, data } };
  }
}

/** Content is a text, or a list of parts (Mistral) of which some are thinking. */
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
