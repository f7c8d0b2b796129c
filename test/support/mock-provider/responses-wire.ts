import type { JsonObject } from "../../../src/base/json.ts";
import { arrayAt, isObject, stringAt } from "../../../src/base/json.ts";
import { first } from "./anthropic-complaint.ts";
import { openaiError } from "./chat-wire.ts";
import type { MockUsage, Part, Turn } from "./turn.ts";
import { finishOf, MOCK_USAGE, pieces } from "./turn.ts";
import type { Ask, Wire } from "./wire.ts";
import { sse } from "./wire.ts";

/** OpenAI's Responses API. */
export const responsesWire: Wire = {
  path: "/responses",
  events,
  more: (delta) => event({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta }),
  errorEvent: (type, message) => event({ type: "error", code: type, message, param: null }),
  complaint,
  errorBody: openaiError,
  overflow: () =>
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  unknownModel: (model) => `The requested model '${model}' does not exist.`,
};

function* events(turn: Turn, ask: Ask): Generator<string> {
  const output: JsonObject[] = [];
  yield event({ type: "response.created", response: response(ask, "in_progress", output) });
  yield event({ type: "response.in_progress", response: response(ask, "in_progress", output) });
  for (const [index, part] of turn.parts.entries()) {
    const item = yield* itemEvents(part, index, turn, ask);
    output.push(item);
  }
  const finish = finishOf(turn);
  const usage = usageOf(turn.usage ?? MOCK_USAGE);
  if (finish === "length" || finish === "refused") {
    const reason = finish === "length" ? "max_output_tokens" : "content_filter";
    const end = { ...response(ask, "incomplete", output), incomplete_details: { reason }, usage };
    yield event({ type: "response.incomplete", response: end });
  } else {
    yield event({ type: "response.completed", response: { ...response(ask, "completed", output), usage } });
  }
}

function* itemEvents(part: Part, index: number, turn: Turn, ask: Ask): Generator<string, JsonObject> {
  const at = { output_index: index };
  const added = (item: JsonObject) => event({ type: "response.output_item.added", ...at, item });
  const done = (item: JsonObject) => event({ type: "response.output_item.done", ...at, item });
  if ("text" in part) {
    const id = `msg_${ask.number}_${index}`;
    const item = { id, type: "message", role: "assistant" };
    const text = { type: "output_text", text: part.text, annotations: [] };
    const place = { item_id: id, ...at, content_index: 0 };
    yield added({ ...item, status: "in_progress", content: [] });
    yield event({ type: "response.content_part.added", ...place, part: { ...text, text: "" } });
    for (const delta of pieces(part.text, turn))
      yield event({ type: "response.output_text.delta", ...place, delta });
    yield event({ type: "response.output_text.done", ...place, text: part.text });
    yield event({ type: "response.content_part.done", ...place, part: text });
    const whole = { ...item, status: "completed", content: [text] };
    yield done(whole);
    return whole;
  }
  if ("thinking" in part) {
    const id = `rs_${ask.number}_${index}`;
    const item = { id, type: "reasoning" };
    const place = { item_id: id, ...at, summary_index: 0 };
    const summary = { type: "summary_text", text: part.thinking };
    yield added({ ...item, summary: [] });
    yield event({ type: "response.reasoning_summary_part.added", ...place, part: { ...summary, text: "" } });
    for (const delta of pieces(part.thinking, turn)) {
      yield event({ type: "response.reasoning_summary_text.delta", ...place, delta });
    }
    yield event({ type: "response.reasoning_summary_text.done", ...place, text: part.thinking });
    yield event({ type: "response.reasoning_summary_part.done", ...place, part: summary });
    const whole = { ...item, summary: [summary], encrypted_content: `sealed-${ask.number}-${index}` };
    yield done(whole);
    return whole;
  }
  const id = `fc_${ask.number}_${index}`;
  const item = {
    id,
    type: "function_call",
    call_id: part.id ?? `call_${ask.number}_${index}`,
    name: part.tool,
  };
  const text = JSON.stringify(part.input);
  yield added({ ...item, status: "in_progress", arguments: "" });
  for (const delta of pieces(text, turn)) {
    yield event({ type: "response.function_call_arguments.delta", item_id: id, ...at, delta });
  }
  yield event({ type: "response.function_call_arguments.done", item_id: id, ...at, arguments: text });
  const whole = { ...item, status: "completed", arguments: text };
  yield done(whole);
  return whole;
}

function response(ask: Ask, status: string, output: readonly JsonObject[]) {
  return {
    id: `resp_${ask.number}`,
    object: "response",
    created_at: 1_750_000_000,
    status,
    model: ask.model,
    output: [...output],
    error: null,
    incomplete_details: null,
    usage: null,
  };
}

/** This wire counts what came from the cache among the input. */
function usageOf(usage: MockUsage) {
  const cached = usage.cacheRead ?? 0;
  const input = usage.input + cached + (usage.cacheWrite ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.output,
  };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse(data, data.type);
}

function complaint(body: JsonObject): string | undefined {
  if (stringAt(body, "model") === undefined) return "Missing required parameter: 'model'.";
  if (typeof body["input"] === "string") return undefined;
  const items = arrayAt(body, "input").filter(isObject);
  if (items.length === 0) return "Missing required parameter: 'input'.";
  return first(items, (item, i) => itemComplaint(items, item, i));
}

function itemComplaint(items: readonly JsonObject[], item: JsonObject, i: number): string | undefined {
  const type = stringAt(item, "type") ?? ("role" in item ? "message" : "");
  switch (type) {
    case "message": {
      const content = item["content"];
      const empty = content === "" || (Array.isArray(content) && content.length === 0);
      return empty || content === undefined
        ? `Invalid 'input[${i}].content': it must not be empty.`
        : undefined;
    }
    case "function_call": {
      const answers = items.filter((later, j) => j > i && isAnswer(later, item["call_id"]));
      if (stringAt(item, "arguments") === undefined)
        return `Missing required parameter: 'input[${i}].arguments'.`;
      return answers.length === 1
        ? undefined
        : `No tool output found for function call ${String(item["call_id"])}.`;
    }
    case "function_call_output": {
      const known = items.some(
        (earlier, j) =>
          j < i && earlier["type"] === "function_call" && earlier["call_id"] === item["call_id"],
      );
      return known
        ? undefined
        : `No tool call found for function call output with call_id ${String(item["call_id"])}.`;
    }
    case "reasoning":
      return i + 1 < items.length && stringAt(items[i + 1], "role") !== "user"
        ? undefined
        : `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`;
    case "":
      return `Missing required parameter: 'input[${i}].type'.`;
    default:
      return undefined;
  }
}

function isAnswer(item: JsonObject, callId: unknown): boolean {
  return item["type"] === "function_call_output" && item["call_id"] === callId;
}
