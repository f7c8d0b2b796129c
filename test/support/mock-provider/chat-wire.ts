import { objectAt } from "../../../src/base/json.ts";
import { chatComplaint } from "./chat-complaint.ts";
import type { MockUsage, Turn } from "./turn.ts";
import { finishOf, MOCK_USAGE, pieces } from "./turn.ts";
import type { Ask, Wire } from "./wire.ts";
import { sse } from "./wire.ts";

const FINISH = { stop: "stop", tool_use: "tool_calls", length: "length", refused: "content_filter" } as const;

/** OpenAI's Chat Completions, with `reasoning_content` as Z.AI, DeepSeek and local servers send it. */
export const chatWire: Wire = {
  path: "/chat/completions",
  events,
  more: (text, ask) => chunk(ask, { content: text }),
  errorEvent: (type, message, status) => sse({ error: { message, type, code: status } }),
  complaint: chatComplaint,
  errorBody: (status, message) => openaiError(status, message),
  overflow: (tokens, tokensMax) =>
    `This model's maximum context length is ${tokensMax} tokens. However, your messages resulted in ${tokens} tokens.`,
  unknownModel: (model) => `The model \`${model}\` does not exist or you do not have access to it.`,
};

export function openaiError(status: number, message: string) {
  const type =
    status === 401 ? "authentication_error" : status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}

function* events(turn: Turn, ask: Ask): Generator<string> {
  yield chunk(ask, { role: "assistant", content: "" });
  let calls = 0;
  for (const part of turn.parts) {
    if ("text" in part) for (const content of pieces(part.text, turn)) yield chunk(ask, { content });
    else if ("thinking" in part) {
      for (const reasoning_content of pieces(part.thinking, turn)) yield chunk(ask, { reasoning_content });
    } else {
      const index = calls++;
      const id = part.id ?? `call_${ask.number}_${index}`;
      const call = { index, id, type: "function", function: { name: part.tool, arguments: "" } };
      yield chunk(ask, { tool_calls: [call] });
      for (const text of pieces(JSON.stringify(part.input), turn)) {
        yield chunk(ask, { tool_calls: [{ index, function: { arguments: text } }] });
      }
    }
  }
  yield chunk(ask, {}, FINISH[finishOf(turn)]);
  if (objectAt(ask.body, "stream_options")?.["include_usage"] === true) {
    yield sse({ ...common(ask), choices: [], usage: usageOf(turn.usage ?? MOCK_USAGE) });
  }
  yield "data: [DONE]\n\n";
}

function chunk(ask: Ask, delta: unknown, finish_reason: string | null = null): string {
  return sse({ ...common(ask), choices: [{ index: 0, delta, finish_reason }] });
}

function common(ask: Ask) {
  return {
    id: `chatcmpl-${ask.number}`,
    object: "chat.completion.chunk",
    created: 1_750_000_000,
    model: ask.model,
  };
}

/** This wire counts what came from the cache among the input. */
function usageOf(usage: MockUsage) {
  const cached = usage.cacheRead ?? 0;
  const prompt = usage.input + cached + (usage.cacheWrite ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
