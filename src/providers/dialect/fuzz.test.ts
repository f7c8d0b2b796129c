import { expect, test } from "bun:test";
import fc from "fast-check";
import { asStream, joinPieces, readAnswer } from "../../../test/support/recordings.ts";
import { ProviderError } from "../error.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

test("[PROV-10] any bytes at all give events and at most a ProviderError, in every dialect", async () => {
  const types = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
    "text",
    "tool_use",
    "thinking",
    "text_delta",
    "input_json_delta",
    "signature_delta",
    "citations_delta",
    "response.output_item.done",
    "response.output_text.delta",
    "response.completed",
    "response.failed",
    "message",
    "function_call",
    "reasoning",
    "__proto__",
  ];
  const keys = [
    "type",
    "index",
    "delta",
    "message",
    "content_block",
    "content",
    "text",
    "partial_json",
    "usage",
    "choices",
    "finish_reason",
    "tool_calls",
    "function",
    "function_call",
    "arguments",
    "name",
    "id",
    "error",
    "code",
    "item",
    "output_index",
    "response",
    "output",
    "summary",
    "reasoning_content",
    "reasoning_details",
    "citation",
    "__proto__",
    "toString",
    "thinking",
    "stop_reason",
    "prompt_tokens",
    "total_tokens",
  ];
  const leaf = fc.oneof(
    fc.constantFrom<unknown>(...types, "stop", "{}", "{", "", "\ud800", null, true, 0, -1, 1e308, 0.5),
    fc.string({ maxLength: 5 }),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 5 },
      leaf,
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie("json"), { maxKeys: 6 }),
    ),
  }));
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(json, { maxLength: 6 }).map((events) => asStream(events)),
    fc
      .array(fc.constantFrom("data: ", "{", "}", "\n", "\r", "[DONE]", '"', ":", "event: error\n"), {
        maxLength: 30,
      })
      .map((parts) => new TextEncoder().encode(parts.join(""))),
  );
  for (const dialect of [anthropicMessages, openaiChat, openaiResponses]) {
    await fc.assert(
      fc.asyncProperty(bytes, async (stream) => {
        const { events, thrown } = await readAnswer(dialect, [stream]);
        if (thrown !== undefined) expect(thrown).toBeInstanceOf(ProviderError);
        else expect(events.at(-1)?.kind).toBe("finish");
      }),
      { numRuns: 3_000 },
    );
  }
}, 300_000);

/** Events of one delta each, with the place of its text open. */
const DELTAS = [
  [
    anthropicMessages,
    [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m"}}\n\n',
      'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
      'event: content_block_start\ndata: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use"}}\n\n',
    ],
    [
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"TEXT"}}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"text":"TEXT","type":"text_delta"}}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"TEXT"}}\n\n',
    ],
  ],
  [
    openaiChat,
    ['data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'],
    [
      'data: {"id":"c","choices":[{"index":0,"delta":{"content":"TEXT"},"finish_reason":null}],"usage":null}\n\n',
      'data: {"id":"c","choices":[{"index":0,"delta":{"reasoning_content":"TEXT"},"finish_reason":null}]}\n\n',
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"TEXT"}}]}}]}\n\n',
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"i","function":{"name":"N","arguments":"TEXT"}}]}}]}\n\n',
      'data:{"choices":[{"delta":{"content":"TEXT","refusal":"no"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"TEXT","reasoning_details":[{"text":"a"}]}}]}\n\n',
      'data: {"choices":[{"delta":{"reasoning":"TEXT"},"text":"b"}]}\n\n',
      'data: {"choices":[{"delta":{"content":"TEXT"}},{"index":1,"delta":{"content":"TEXT"}}]}\n\n',
    ],
  ],
] as const;

test("[PROV-10 PERF-02] deltas that come together give the answer of deltas that come one by one, whatever they hold", () => {
  const pieces = ["a", "é", "😀", "0", " ", "\\n", '\\"', "\\\\", "\\u00e9", "\\ud83d", "\\ude00", "\\/"];
  const broken = ['"', "\\", "\\u12", "\\x", "\t", "\u0001", '"}}', "\n", "\n\n", '","text":"', "TEXT"];
  const texts = fc.array(
    fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...pieces) },
      { weight: 1, arbitrary: fc.constantFrom(...broken) },
    ),
    { maxLength: 4 },
  );
  for (const [dialect, start, deltas] of DELTAS) {
    const stream = fc.array(fc.tuple(fc.nat(), fc.array(texts, { minLength: 1, maxLength: 6 })), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(stream, (runs) => {
        const events = runs.flatMap(([kind, bodies]) =>
          bodies.map((body) => (deltas[kind % deltas.length] ?? "").replaceAll("TEXT", () => body.join(""))),
        );
        const bytes = [...start, ...events].map((event) => new TextEncoder().encode(event));
        const oneByOne = readAnswer(dialect, bytes);
        const together = readAnswer(dialect, [new Uint8Array(Buffer.concat(bytes))]);
        expect({ ...together, events: joinPieces(together.events) }).toEqual({
          ...oneByOne,
          events: joinPieces(oneByOne.events),
        });
      }),
      { numRuns: 2_000 },
    );
  }
}, 300_000);

test("[PROV-10] an event without end is reported as malformed, not held in memory", async () => {
  const mega = new TextEncoder().encode("x".repeat(1024 * 1024));
  const chunks = [new TextEncoder().encode("data: "), ...Array.from({ length: 17 }, () => mega)];
  for (const dialect of [anthropicMessages, openaiChat, openaiResponses]) {
    const { thrown } = await readAnswer(dialect, chunks);
    expect(thrown).toMatchObject({ name: "ProviderError", reason: "StreamMalformed" });
  }
});
