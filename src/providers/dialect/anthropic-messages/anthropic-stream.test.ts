import { expect, test } from "bun:test";
import { asStream, DRESS, readAnswer } from "../../../../test/support/recordings.ts";
import type { FinishReason, ModelEvent } from "../../provider.ts";
import { wireToolName } from "../request/tool-name.ts";
import { anthropicMessages } from "./anthropic-messages.ts";

const START = {
  type: "message_start",
  message: { id: "msg_1", usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 } },
};
const STOP = { type: "message_stop" };
const started = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 90, cacheWriteTokens: 0 };

const begin = (index: number, block: object) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, inner: object) => ({ type: "content_block_delta", index, delta: inner });
const end = (index: number) => ({ type: "content_block_stop", index });
const json = (index: number, text: string) => delta(index, { type: "input_json_delta", partial_json: text });
const ends = (reason: string, output_tokens = 5) => ({
  type: "message_delta",
  delta: { stop_reason: reason },
  usage: { output_tokens },
});
const textBlock = (index: number, text: string) => [
  begin(index, { type: "text", text: "" }),
  delta(index, { type: "text_delta", text }),
  end(index),
];

const read = (...events: readonly unknown[]) => readAnswer(anthropicMessages, [asStream(events)]);
const finished = (reason: FinishReason, raw: string, outputTokens = 5): readonly ModelEvent[] => [
  { kind: "usage", usage: { ...started, outputTokens } },
  { kind: "finish", reason, raw },
];

test("[PROV-02 ENG-19] thinking goes through as deltas and comes whole, with its signature, for the way back", async () => {
  const { events } = await read(
    START,
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Let me " }),
    delta(0, { type: "thinking_delta", thinking: "see." }),
    delta(0, { type: "signature_delta", signature: "c2ln" }),
    end(0),
    begin(1, { type: "redacted_thinking", data: "b3BhcXVl" }),
    end(1),
    { type: "ping" },
    ...textBlock(2, "Done."),
    ends("end_turn"),
    STOP,
  );
  expect(events).toEqual([
    { kind: "usage", usage: started },
    { kind: "thinking", index: 0, text: "Let me " },
    { kind: "thinking", index: 0, text: "see." },
    {
      kind: "block",
      index: 0,
      block: {
        type: "thinking",
        family: "recorded",
        text: "Let me see.",
        data: { type: "thinking", thinking: "Let me see.", signature: "c2ln" },
      },
    },
    {
      kind: "block",
      index: 1,
      block: {
        type: "thinking",
        family: "recorded",
        text: "",
        data: { type: "redacted_thinking", data: "b3BhcXVl" },
      },
    },
    { kind: "text", index: 2, text: "Done." },
    { kind: "block", index: 2, block: { type: "text", text: "Done." } },
    ...finished("stop", "end_turn"),
  ]);
});

test("[PROV-02] a call comes whole, under the name that its tool has here", async () => {
  const events = [
    START,
    begin(0, { type: "tool_use", id: "toolu_1", name: wireToolName("harness.cancel_turn"), input: {} }),
    json(0, '{"pa'),
    json(0, 'th":"a.ts"}'),
    end(0),
    ends("tool_use"),
    STOP,
  ];
  const context = { ...DRESS, toolNames: ["Read", "harness.cancel_turn"] };
  const { events: seen } = await readAnswer(anthropicMessages, [asStream(events)], context);
  expect(seen.filter(({ kind }) => kind === "block")).toEqual([
    {
      kind: "block",
      index: 0,
      block: { type: "tool_use", name: "harness.cancel_turn", input: { path: "a.ts" } },
    },
  ]);
});

test("[PROV-10] arguments that are no JSON object are kept as they came, and no arguments are an empty object", async () => {
  const call = (index: number, name: string, text: string) => [
    begin(index, { type: "tool_use", id: `toolu_${index}`, name, input: {} }),
    json(index, text),
    end(index),
  ];
  const { events } = await read(
    START,
    ...call(0, "none", ""),
    ...call(1, "broken", '{"path":'),
    ...call(2, "list", "[1]"),
    begin(3, { type: "tool_use", id: "toolu_3", name: "whole", input: { a: 1 } }),
    end(3),
    ends("tool_use"),
    STOP,
  );
  expect(events.flatMap((event) => (event.kind === "block" ? [event.block] : []))).toEqual([
    { type: "tool_use", name: "none", input: {} },
    { type: "tool_use", name: "broken", input: {}, malformed: '{"path":' },
    { type: "tool_use", name: "list", input: {}, malformed: "[1]" },
    { type: "tool_use", name: "whole", input: { a: 1 } },
  ]);
});

test("[PROV-10] a call that the output limit cut is left out, also where its arguments had not begun", async () => {
  for (const text of ["", '{"path":"a']) {
    const call = [begin(1, { type: "tool_use", id: "t", name: "Write", input: {} }), json(1, text), end(1)];
    const { events } = await read(START, ...textBlock(0, "Now"), ...call, ends("max_tokens"), STOP);
    expect(events).toEqual([
      { kind: "usage", usage: started },
      { kind: "text", index: 0, text: "Now" },
      { kind: "block", index: 0, block: { type: "text", text: "Now" } },
      ...finished("length", "max_tokens"),
    ]);
  }
});

test("[PROV-10 R09] a stream cut within a call gives no call and says that it broke off", async () => {
  const { events, thrown } = await read(
    START,
    begin(0, { type: "tool_use", id: "t", name: "Bash", input: {} }),
    json(0, '{"cmd":"rm -rf build"}'),
  );
  expect(events).toEqual([{ kind: "usage", usage: started }]);
  expect(thrown).toMatchObject({ reason: "StreamInterrupted", transient: true });
});

test("[PROV-15] blocks of unknown types are kept whole, with what their deltas added", async () => {
  const { events } = await read(
    START,
    begin(0, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} }),
    json(0, '{"query":"x"}'),
    end(0),
    begin(1, { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] }),
    end(1),
    begin(2, { type: "compaction", content: "" }),
    delta(2, { type: "compaction_delta", content: "so " }),
    delta(2, { type: "compaction_delta", content: "far" }),
    end(2),
    ends("pause_turn"),
    STOP,
  );
  expect(events.flatMap((event) => (event.kind === "block" ? [event.block] : []))).toEqual([
    {
      type: "opaque",
      family: "recorded",
      data: { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } },
    },
    {
      type: "opaque",
      family: "recorded",
      data: { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
    },
    { type: "opaque", family: "recorded", data: { type: "compaction", content: "so far" } },
  ]);
  expect(events.at(-1)).toEqual({ kind: "finish", reason: "paused", raw: "pause_turn" });
});

test("[PROV-02] every stop reason has its finish", async () => {
  const reasons: Readonly<Record<string, FinishReason>> = {
    end_turn: "stop",
    stop_sequence: "stop",
    max_tokens: "length",
    model_context_window_exceeded: "length",
    refusal: "refused",
    pause_turn: "paused",
    something_new: "stop",
  };
  for (const [raw, reason] of Object.entries(reasons)) {
    const { events } = await read(START, ...textBlock(0, "x"), ends(raw), STOP);
    expect(events.slice(-2)).toEqual([...finished(reason, raw)]);
  }
});

test("[PROV-02] errors inside the stream have their reason, and say if trying again may help", async () => {
  const error = (type: string, message: string) => ({ type: "error", error: { type, message } });
  const cases = [
    [error("overloaded_error", "Overloaded"), "ProviderFailed", true, 529],
    [error("api_error", "Internal server error"), "ProviderFailed", true, 500],
    [error("rate_limit_error", "Slow down"), "ProviderFailed", true, 429],
    [error("timeout_error", "Took too long"), "ProviderFailed", true, 504],
    [
      error("invalid_request_error", "prompt is too long: 250000 tokens > 200000"),
      "ContextOverflow",
      false,
      400,
    ],
    [error("invalid_request_error", "messages: bad"), "ProviderRefused", false, 400],
    [error("request_too_large", "Too large"), "ContextOverflow", false, 413],
    [error("authentication_error", "invalid x-api-key"), "ProviderKeyRefused", false, 401],
    [error("billing_error", "Your credit balance is too low"), "ProviderQuotaExceeded", false, 402],
    [error("not_found_error", "model: claude-9"), "UnknownModel", false, 404],
    [error("brand_new_error", "Hm"), "ProviderFailed", true, undefined],
    [{ type: "error" }, "ProviderFailed", true, undefined],
  ] as const;
  for (const [event, reason, transient, status] of cases) {
    const { events, thrown } = await read(START, ...textBlock(0, "So"), event);
    expect(events).toHaveLength(3);
    expect(thrown).toMatchObject({ reason, transient, status });
  }
});

test("[PROV-10] a second start of the same message changes nothing; another message is followed after mere thinking", async () => {
  const again = { ...START, message: { ...START.message, id: "msg_2" } };
  const thought = [
    begin(0, { type: "thinking", thinking: "" }),
    delta(0, { type: "thinking_delta", thinking: "Hm" }),
    end(0),
  ];
  const twice = await read(START, START, ...textBlock(0, "once"), ends("end_turn"), STOP);
  expect(twice).toEqual(await read(START, ...textBlock(0, "once"), ends("end_turn"), STOP));

  const half = [begin(1, { type: "tool_use", id: "t", name: "Bash", input: {} }), json(1, '{"cm')];
  const spliced = await read(
    START,
    ...thought,
    ...half,
    again,
    ...textBlock(0, "new"),
    ends("end_turn"),
    STOP,
  );
  expect(
    spliced.events.flatMap((event) => (event.kind === "block" ? [event.index, event.block.type] : [])),
  ).toEqual([0, "thinking", 2, "text"]); // the call that did not come had the index between them
});

test("[PROV-10 R09] an answer that begins again after text or a call counts as broken off", async () => {
  const again = { ...START, message: { ...START.message, id: "msg_2" } };
  const call = [begin(0, { type: "tool_use", id: "t", name: "Bash", input: {} }), json(0, "{}"), end(0)];
  for (const before of [textBlock(0, "Hello"), call]) {
    const { events, thrown } = await read(
      START,
      ...before,
      again,
      ...textBlock(0, "Hello"),
      ends("end_turn"),
      STOP,
    );
    expect(events.some(({ kind }) => kind === "finish")).toBe(false);
    expect(thrown).toMatchObject({ reason: "StreamInterrupted", transient: true });
  }
});

test("[PROV-10] a stop reason without message_stop is a good end; no stop reason is none", async () => {
  const { events } = await read(START, ...textBlock(0, "x"), ends("end_turn"));
  expect(events.at(-1)).toEqual({ kind: "finish", reason: "stop", raw: "end_turn" });
  const cut = await read(START, ...textBlock(0, "x"));
  expect(cut.thrown).toMatchObject({ reason: "StreamInterrupted" });
});

test("[PROV-10 R05] a character that two deltas share is shown whole, and half of one becomes U+FFFD", async () => {
  const { events } = await read(
    START,
    begin(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "a\ud83d" }),
    delta(0, { type: "text_delta", text: "\udc4db\ud83d" }),
    end(0),
    ends("end_turn"),
    STOP,
  );
  expect(events.slice(1, 5)).toEqual([
    { kind: "text", index: 0, text: "a" },
    { kind: "text", index: 0, text: "👍b" },
    { kind: "text", index: 0, text: "\ufffd" },
    { kind: "block", index: 0, block: { type: "text", text: "a👍b\ufffd" } },
  ]);
});

test("[PROV-10] data that is no JSON is reported as malformed, unless the stream ends with it", async () => {
  const middle = await read(START, '{"type":"content_bl', STOP);
  expect(middle.thrown).toMatchObject({ reason: "StreamMalformed", transient: true });
  const last = await read(START, '{"type":"content_bl');
  expect(last.thrown).toMatchObject({ reason: "StreamInterrupted", transient: true });
});
