import { arrayAt, isObject, stringAt } from "../../../src/base/json.ts";
import { anthropicComplaint } from "./anthropic-complaint.ts";
import type { MockUsage, Part, Turn } from "./turn.ts";
import { finishOf, MOCK_USAGE, pieces } from "./turn.ts";
import type { Ask, Wire } from "./wire.ts";
import { sse } from "./wire.ts";

const STOP_REASONS = {
  stop: "end_turn",
  tool_use: "tool_use",
  length: "max_tokens",
  refused: "refusal",
} as const;

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  path: "/messages",
  events,
  more: (text) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  errorEvent: (type, message) => event({ type: "error", error: { type, message } }),
  complaint: anthropicComplaint,
  errorBody: (status, message) => ({
    type: "error",
    error: { type: ERROR_TYPES.get(status) ?? "api_error", message },
    request_id: "req_mock",
  }),
  overflow: (tokens, tokensMax) => `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`,
  unknownModel: (model) => `model: ${model}`,
};

const ERROR_TYPES: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [529, "overloaded_error"],
]);

function* events(turn: Turn, ask: Ask): Generator<string> {
  const usage = turn.usage ?? MOCK_USAGE;
  const message = {
    id: `msg_${ask.number}`,
    type: "message",
    role: "assistant",
    model: ask.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(usage, 1),
  };
  yield event({ type: "message_start", message });
  yield event({ type: "ping" });
  for (const [index, part] of turn.parts.entries()) yield* block(part, index, turn, ask);
  const delta = { stop_reason: STOP_REASONS[finishOf(turn)], stop_sequence: null };
  yield event({ type: "message_delta", delta, usage: usageOf(usage, usage.output) });
  yield event({ type: "message_stop" });
}

function* block(part: Part, index: number, turn: Turn, ask: Ask): Generator<string> {
  const start = (content_block: unknown) => event({ type: "content_block_start", index, content_block });
  const delta = (delta: unknown) => event({ type: "content_block_delta", index, delta });
  if ("text" in part) {
    yield start({ type: "text", text: "" });
    for (const text of pieces(part.text, turn)) yield delta({ type: "text_delta", text });
  } else if ("thinking" in part) {
    yield start({ type: "thinking", thinking: "", signature: "" });
    for (const thinking of pieces(part.thinking, turn)) yield delta({ type: "thinking_delta", thinking });
    yield delta({ type: "signature_delta", signature: `signed-${ask.number}-${index}` });
  } else {
    const id = part.id ?? `toolu_${ask.number}_${index}`;
    yield start({ type: "tool_use", id, name: part.tool, input: {} });
    yield delta({ type: "input_json_delta", partial_json: "" });
    for (const partial_json of pieces(JSON.stringify(part.input), turn)) {
      yield delta({ type: "input_json_delta", partial_json });
    }
  }
  yield event({ type: "content_block_stop", index });
}

function usageOf(usage: MockUsage, output: number) {
  return {
    input_tokens: usage.input,
    output_tokens: output,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse(data, data.type);
}

/** Counts tokens as bytes/4 of all text. */
export function countTokens(body: unknown): number {
  const text = arrayAt(body, "messages")
    .flatMap((message) =>
      isObject(message) ? [stringAt(message, "content") ?? JSON.stringify(message["content"])] : [],
    )
    .join("");
  return Math.ceil(text.length / 4);
}
