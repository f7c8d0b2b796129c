import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  anthropicComplaints,
  chatComplaints,
  responsesComplaints,
} from "../../../test/support/wire-validity.ts";
import { trustedText } from "../../base/brand.ts";
import type { CallId } from "../../base/ids.ts";
import { decode } from "../../base/text/text.ts";
import type { ContentBlock, ResultContent } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelRequest } from "../provider.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { Dialect, DialectContext } from "./dialect.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";
import { RequestBytes } from "./request/request-bytes.ts";

const FAMILY = "ours";
const DRESS: DialectContext = { provider: "p", family: FAMILY, model: "m" };
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } } as const;

const anyText = fc.oneof(
  fc.constantFrom("", " \n", "hello", "two\nlines", "\ud83d", "x\udc4d", "👍 漢"),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const textBlock = anyText.map((text): ContentBlock => ({ type: "text", text }));
const family = fc.constantFrom(FAMILY, "another");

/** Thinking and opaque data as each dialect makes it. */
const thinkingOf: Readonly<Record<Dialect["name"], fc.Arbitrary<unknown>>> = {
  "anthropic-messages": fc.constantFrom(
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "redacted_thinking", data: "d" },
  ),
  "openai-chat": fc.constantFrom(
    { reasoning_content: "hm" },
    { reasoning_details: [{ type: "reasoning.text" }] },
    {},
  ),
  "openai-responses": fc.constantFrom(
    { type: "reasoning", id: "rs_1", encrypted_content: "e", summary: [] },
    { type: "reasoning", id: "rs_2", summary: [] },
  ),
};
const opaqueOf: Readonly<Record<Dialect["name"], fc.Arbitrary<unknown>>> = {
  "anthropic-messages": fc.constantFrom(
    { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
    { type: "fallback", from: {}, to: {} },
    "no object",
  ),
  "openai-chat": fc.constant({ anything: 1 }),
  "openai-responses": fc.constantFrom(
    { type: "code_interpreter_call", id: "ci", code: "1" },
    { type: "custom_tool_call", call_id: "x", name: "n", input: "" },
    7,
  ),
};

function spokenBy(name: Dialect["name"]): fc.Arbitrary<ContentBlock> {
  return fc.oneof(
    textBlock,
    fc
      .record({ family, data: thinkingOf[name] })
      .map(({ family, data }): ContentBlock => ({ type: "thinking", family, text: "hm", data })),
    fc
      .record({ family, data: opaqueOf[name] })
      .map(({ family, data }): ContentBlock => ({ type: "opaque", family, data })),
    fc.constant<ContentBlock>({ type: "yield" }),
  );
}

const resultContent = fc.array(
  fc.oneof(
    anyText.map((text): ResultContent => ({ type: "text", text })),
    fc.constant<ResultContent>(PNG),
  ),
  { maxLength: 3 },
);

/**
 * Any valid canonical history: messages of either role in any order, and after each answer with calls the message
 * that answers each of them once, with anything else beside.
 */
function histories(name: Dialect["name"]): fc.Arbitrary<readonly Message[]> {
  const user = fc
    .array(fc.oneof(textBlock, fc.constant<ContentBlock>(PNG)), { maxLength: 3 })
    .map((content) => [{ role: "user", content }] satisfies Message[]);
  const answer = fc
    .array(spokenBy(name), { maxLength: 4 })
    .map((content) => [{ role: "assistant", content }] satisfies Message[]);
  const call = fc.record({
    name: fc.constantFrom("Read", "harness.cancel_turn", "x".repeat(90)),
    input: fc.oneof(fc.constant<unknown>({ path: "\ud800" }), fc.constant<unknown>("no object"), fc.object()),
    content: resultContent,
    is_error: fc.boolean(),
  });
  const round = fc
    .record({
      before: fc.array(spokenBy(name), { maxLength: 3 }),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      beside: fc.array(textBlock, { maxLength: 2 }),
      isReversed: fc.boolean(),
    })
    .map(({ before, calls, beside, isReversed }): Message[] => {
      const results = calls.map(
        ({ content, is_error }, index): ContentBlock => ({
          type: "tool_result",
          tool_use_id: `call_${index}` as CallId,
          content,
          is_error,
        }),
      );
      return [
        {
          role: "assistant",
          content: [
            ...before,
            ...calls.map(
              ({ name, input }, index): ContentBlock => ({
                type: "tool_use",
                id: `call_${index}` as CallId,
                name,
                input,
              }),
            ),
          ],
        },
        { role: "user", content: [...beside, ...(isReversed ? results.reverse() : results)] },
      ];
    });
  return fc.array(fc.oneof(user, answer, round), { maxLength: 8 }).map((parts) => {
    // Ids are unique within a history.
    let part = 0;
    return parts.flatMap((messages) => {
      part += 1;
      return messages.map(({ role, content }) => ({
        role,
        content: content.map((block) => numbered(block, part)),
      }));
    });
  });
}

function numbered(block: ContentBlock, part: number): ContentBlock {
  if (block.type === "tool_use") return { ...block, id: `${block.id}_${part}` as CallId };
  if (block.type === "tool_result")
    return { ...block, tool_use_id: `${block.tool_use_id}_${part}` as CallId };
  return block;
}

function request(messages: readonly Message[], parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: "m",
    system: [],
    messages,
    tools: [],
    outputTokensMax: 1_000,
    cache: { prefix: false, messages: [] },
    ...parts,
  };
}

describe("any valid history makes a body that its provider takes", () => {
  const cases = [
    [anthropicMessages, anthropicComplaints],
    [openaiChat, chatComplaints],
    [openaiResponses, responsesComplaints],
  ] as const;
  for (const [dialect, complaints] of cases) {
    test(`[ENG-19 R01 R05] ${dialect.name}`, () => {
      fc.assert(
        fc.property(
          histories(dialect.name),
          fc.array(fc.nat({ max: 9 })),
          fc.boolean(),
          (messages, marks, prefix) => {
            const parts: Partial<ModelRequest> = {
              system: [{ name: "a", text: trustedText("\udc00 be brief") }],
              cache: { prefix, messages: marks },
              thinking: { effort: "low" },
              outputTokensMax: 4_096,
            };
            const context = { ...DRESS, quirks: { cacheControl: prefix } };
            const body = dialect.body(request(messages, parts), context);
            expect(complaints(body)).toEqual([]);
            expect(JSON.stringify(dialect.body(request(messages, parts), context))).toBe(
              JSON.stringify(body),
            );
          },
        ),
        { numRuns: 3_000 },
      );
    }, 300_000);
  }
});

describe("a history that grows gives the same bytes as one that is sent for the first time", () => {
  for (const dialect of [anthropicMessages, openaiChat, openaiResponses]) {
    test(`[PROV-10 PROV-15 PERF-02] ${dialect.name}`, () => {
      fc.assert(
        fc.property(histories(dialect.name), fc.boolean(), (messages, cacheControl) => {
          const bytes = new RequestBytes();
          const context = { ...DRESS, quirks: { cacheControl } };
          for (let length = 1; length <= messages.length; length++) {
            const known = messages.slice(0, length);
            const parts = { cache: { prefix: true, messages: [length - 3, length - 1] } };
            const system = [{ name: "a", text: trustedText("be brief") }];
            const sent = bytes.render(dialect.body(request(known, { ...parts, system }), context));
            const anew = dialect.body(request(structuredClone(known), { ...parts, system }), context);
            expect(decode(sent)).toBe(JSON.stringify(anew));
          }
        }),
        { numRuns: 1_000 },
      );
    }, 300_000);
  }
});

describe("the same messages sent to another provider become what they would be if they were sent there first", () => {
  for (const dialect of [anthropicMessages, openaiChat, openaiResponses]) {
    test(`[ENG-19 PROV-10] ${dialect.name}`, () => {
      const quirks = [{ cacheControl: true }, { cacheControl: false }];
      const dresses = ["another", FAMILY].flatMap((family) =>
        quirks.map((each): DialectContext => ({ ...DRESS, family, quirks: each })),
      );
      fc.assert(
        fc.property(histories(dialect.name), (messages) => {
          const parts = { cache: { prefix: true, messages: [messages.length - 1] } };
          for (const context of dresses) {
            const sent = dialect.body(request(messages, parts), context);
            expect(sent).toEqual(dialect.body(request(structuredClone(messages), parts), context));
          }
        }),
        { numRuns: 500 },
      );
    }, 300_000);
  }
});
