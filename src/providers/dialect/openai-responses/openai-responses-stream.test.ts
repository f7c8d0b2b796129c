import { expect, test } from "bun:test";
import { asStream, readAnswer } from "../../../../test/support/recordings.ts";
import { openaiResponses } from "./openai-responses.ts";

const USAGE = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 20 },
  output_tokens: 9,
  total_tokens: 59,
};
const ended = (type: string, response: object = {}) => ({
  type,
  response: { status: type.slice("response.".length), usage: USAGE, output: [], ...response },
});
const text = (output_index: number, delta: string) => ({
  type: "response.output_text.delta",
  output_index,
  delta,
});
const done = (output_index: number, item: object) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const message = (said: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: said }],
});
const fn = (args: string, rest: object = {}) => ({
  type: "function_call",
  call_id: "c",
  name: "Read",
  arguments: args,
  status: "completed",
  ...rest,
});

const read = (...events: readonly unknown[]) => readAnswer(openaiResponses, [asStream(events)]);
const usage = { inputTokens: 30, outputTokens: 9, cacheReadTokens: 20, cacheWriteTokens: 0 };

test("[PROV-05 ENG-19] reasoning, text and calls come in order; the reasoning item is kept whole for the way back", async () => {
  const reasoning = {
    id: "rs_1",
    type: "reasoning",
    encrypted_content: "gAAAA",
    summary: [{ type: "summary_text", text: "One" }],
  };
  const summary = (summary_index: number, delta: string) => ({
    type: "response.reasoning_summary_text.delta",
    output_index: 0,
    summary_index,
    delta,
  });
  const { events } = await read(
    { type: "response.created", response: {} },
    summary(0, "One"),
    summary(1, "Two"),
    done(0, reasoning),
    text(1, "Hel"),
    text(1, "lo"),
    done(1, message("Hello")),
    { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"path":' },
    done(2, fn('{"path":"a"}')),
    ended("response.completed"),
  );
  expect(events).toEqual([
    { kind: "thinking", index: 0, text: "One" },
    { kind: "thinking", index: 0, text: "\n\nTwo" },
    {
      kind: "block",
      index: 0,
      block: { type: "thinking", family: "recorded", text: "One\n\nTwo", data: reasoning },
    },
    { kind: "text", index: 1, text: "Hel" },
    { kind: "text", index: 1, text: "lo" },
    { kind: "block", index: 1, block: { type: "text", text: "Hello" } },
    { kind: "block", index: 2, block: { type: "tool_use", name: "Read", input: { path: "a" } } },
    { kind: "usage", usage },
    { kind: "finish", reason: "tool_use", raw: "completed" },
  ]);
});

test("[PROV-15] items of other kinds are kept as they came", async () => {
  const item = { id: "ci_1", type: "code_interpreter_call", code: "1+1", outputs: [] };
  const { events } = await read(done(0, item), ended("response.completed"));
  expect(events[0]).toEqual({
    kind: "block",
    index: 0,
    block: { type: "opaque", family: "recorded", data: item },
  });
  expect(events.at(-1)).toEqual({ kind: "finish", reason: "stop", raw: "completed" });
});

test("[PROV-10] missing deltas are filled in from the finished item, and items that were never announced from the end", async () => {
  const lost = await read(text(0, "Got"), done(0, message("Got it")), ended("response.completed"));
  expect(lost.events.slice(0, 3)).toEqual([
    { kind: "text", index: 0, text: "Got" },
    { kind: "text", index: 0, text: " it" },
    { kind: "block", index: 0, block: { type: "text", text: "Got it" } },
  ]);
  const untold = await read(ended("response.completed", { output: [message("Hi"), fn("{}")] }));
  expect(untold.events.map(({ kind }) => kind)).toEqual(["text", "block", "block", "usage", "finish"]);
  const unfinished = await read(text(0, "Hi"), ended("response.completed"));
  expect(unfinished.events[1]).toEqual({ kind: "block", index: 0, block: { type: "text", text: "Hi" } });
  const twice = await read(done(0, fn("{}")), done(0, fn("{}")), ended("response.completed"));
  expect(twice.events.filter(({ kind }) => kind === "block")).toHaveLength(1);
});

test("[PROV-10] without output indexes, items are distinguished by their ids", async () => {
  const delta = (item_id: string, said: string) => ({
    type: "response.output_text.delta",
    item_id,
    delta: said,
  });
  const item = (id: string, said: string) => ({
    type: "response.output_item.done",
    item: { id, ...message(said) },
  });
  const { events } = await read(
    delta("a", "1"),
    item("a", "1"),
    delta("b", "2"),
    item("b", "2"),
    ended("response.completed"),
  );
  expect(events.flatMap((event) => (event.kind === "block" ? [event.block] : []))).toEqual([
    { type: "text", text: "1" },
    { type: "text", text: "2" },
  ]);
});

test("[PROV-05] an incomplete answer says why, and a call that was cut is left out", async () => {
  for (const [why, reason] of [
    ["max_output_tokens", "length"],
    ["REASON_MAX_LEN", "length"],
    ["content_filter", "refused"],
  ]) {
    const { events } = await read(
      done(0, message("So")),
      done(1, fn('{"path":"a', { status: "incomplete" })),
      done(2, fn("", { status: "incomplete" })),
      ended("response.incomplete", { incomplete_details: { reason: why } }),
    );
    expect(events.filter(({ kind }) => kind === "block")).toHaveLength(1);
    expect(events.at(-1)).toEqual({ kind: "finish", reason, raw: why } as never);
  }
});

test("[PROV-05] a refusal is text that finishes as refused", async () => {
  const item = { type: "message", content: [{ type: "refusal", refusal: "I can't" }] };
  const { events } = await read(
    { type: "response.refusal.delta", output_index: 0, delta: "I can't" },
    done(0, item),
    ended("response.completed"),
  );
  expect(events[0]).toEqual({ kind: "text", index: 0, text: "I can't" });
  expect(events.at(-1)).toEqual({ kind: "finish", reason: "refused", raw: "completed" });
});

test("[PROV-05] failures inside the stream have their reason", async () => {
  const failed = (code: string, said: string) => ({
    type: "response.failed",
    response: { error: { code, message: said } },
  });
  const cases = [
    [failed("server_error", "oops"), "ProviderFailed", true],
    [failed("rate_limit_exceeded", "slow down"), "ProviderFailed", true],
    [failed("context_length_exceeded", "too long"), "ContextOverflow", false],
    [failed("insufficient_quota", "no money"), "ProviderQuotaExceeded", false],
    [failed("invalid_prompt", "no"), "ProviderRefused", false],
    [failed("cyber_policy", "no"), "ResponseRefused", false],
    [{ type: "error", code: "server_error", message: "oops" }, "ProviderFailed", true],
    [
      { type: "error", error: { type: "invalid_request_error", code: "model_not_found", message: "no" } },
      "UnknownModel",
      false,
    ],
    [{ type: "response.cancelled", response: {} }, "StreamInterrupted", true],
    [
      ended("response.completed", { error: { code: "server_error", message: "late" } }),
      "ProviderFailed",
      true,
    ],
  ] as const;
  for (const [event, reason, transient] of cases) {
    const { events, thrown } = await read(text(0, "So"), event);
    expect(events).toEqual([{ kind: "text", index: 0, text: "So" }]);
    expect(thrown).toMatchObject({ reason, transient });
  }
});

test("[PROV-10 R09] only the end of the answer ends it well", async () => {
  const { events, thrown } = await read(text(0, "So"), {
    type: "response.function_call_arguments.done",
    arguments: "{}",
  });
  expect(events).toEqual([{ kind: "text", index: 0, text: "So" }]);
  expect(thrown).toMatchObject({ reason: "StreamInterrupted", transient: true });
});
