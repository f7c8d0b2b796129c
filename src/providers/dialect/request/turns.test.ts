import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import type { CallId } from "../../../base/ids.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import type { ModelRequest } from "../../provider.ts";
import { anthropicBody } from "../anthropic-messages/anthropic-body.ts";
import { openAiChatBody } from "../openai-chat/openai-chat-body.ts";
import { openAiResponsesBody } from "../openai-responses/openai-responses-body.ts";

const BODIES = { anthropicBody, openAiChatBody, openAiResponsesBody };

const CALL = "call_00000000000000000000000001" as CallId;

/** Blocks that are sent, left out, or make an answer that is left out. */
const BLOCKS: readonly ContentBlock[] = [
  { type: "text", text: "words" },
  { type: "text", text: " " },
  { type: "thinking", family: "own", text: "hm", data: { type: "thinking", thinking: "hm", signature: "s" } },
  { type: "thinking", family: "other", text: "hm", data: {} },
  // A call of a server tool: it may end the last answer only.
  { type: "opaque", family: "own", data: { type: "server_tool_use", id: "x" } },
  { type: "tool_use", id: CALL, name: "Read", input: { file_path: "a" } },
  { type: "tool_result", tool_use_id: CALL, content: [{ type: "text", text: "content" }] },
];

const message = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  content: fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 3 }),
});

/** Requests of one conversation: each keeps a part of the history and adds to it. */
const requests = fc.array(
  fc.record({
    kept: fc.double({ min: 0.5, max: 1, noNaN: true }),
    added: fc.array(message, { maxLength: 4 }),
    breakpoints: fc.array(fc.nat({ max: 9 }), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 12 },
);

function requestOf(messages: readonly Message[], breakpoints: readonly number[]): ModelRequest {
  const cache = { prefix: true, messages: breakpoints };
  return { model: "m", system: [], messages, tools: [], outputTokensMax: 9, cache };
}

test.each(Object.entries(BODIES))(
  "[PROV-10 PERF-02] whatever was requested before, %s gives the body of the messages alone",
  async (_, body) => {
    await holds(
      fc.property(requests, (all) => {
        let messages: readonly Message[] = [];
        for (const { kept, added, breakpoints } of all) {
          messages = [...messages.slice(0, Math.round(messages.length * kept)), ...added];
          const places = breakpoints.map((back) => messages.length - 1 - back).filter((at) => at >= 0);
          const context = { provider: "p", family: "own", model: "m", toolNames: [] };
          const fresh = requestOf(structuredClone(messages) as readonly Message[], places);
          expect(body(requestOf(messages, places), context)).toEqual(body(fresh, context));
        }
      }),
      500,
    );
  },
);
