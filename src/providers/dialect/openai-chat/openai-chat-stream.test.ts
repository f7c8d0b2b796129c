import { expect, test } from "bun:test";
import { asStream, readAnswer } from "../../../../test/support/recordings.ts";
import { openaiChat } from "./openai-chat.ts";

const delta = (inner: object, rest: object = {}) => ({ choices: [{ index: 0, delta: inner, ...rest }] });
const stop = (finish_reason: string, inner: object = {}) => delta(inner, { finish_reason });
const call = (index: number, fields: object, name?: string, args = "") =>
  delta({
    tool_calls: [
      { index, ...fields, function: { ...(name === undefined ? {} : { name }), arguments: args } },
    ],
  });
const DONE = "[DONE]";

const read = (...events: readonly unknown[]) => readAnswer(openaiChat, [asStream(events)]);
async function blocks(...events: readonly unknown[]) {
  const answer = await read(...events);
  return answer.events.flatMap((event) => (event.kind === "block" ? [event.block] : []));
}

test("[PROV-05] text comes as deltas, as one block, and with the usage that follows the finish reason", async () => {
  const { events } = await read(
    delta({ role: "assistant", content: "" }),
    delta({ content: "Hel" }),
    delta({ content: "lo" }),
    stop("stop"),
    {
      choices: [],
      usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 80 } },
    },
    DONE,
  );
  expect(events).toEqual([
    { kind: "text", index: 0, text: "Hel" },
    { kind: "text", index: 0, text: "lo" },
    { kind: "usage", usage: { inputTokens: 20, outputTokens: 7, cacheReadTokens: 80, cacheWriteTokens: 0 } },
    { kind: "block", index: 0, block: { type: "text", text: "Hello" } },
    { kind: "finish", reason: "stop", raw: "stop" },
  ]);
});

test("[PROV-05] a call that stands at the end of thinking, in an answer without text and calls, is a call", async () => {
  const thinks = (reasoning_content: string, ...rest: readonly unknown[]) =>
    read(delta({ reasoning_content }), ...rest, stop("stop"), DONE);
  const callsOf = async (...given: Parameters<typeof thinks>) =>
    (await thinks(...given)).events.flatMap((event) =>
      event.kind === "block" && event.block.type === "tool_use" ? [event.block] : [],
    );
  const one = '<tool_call>\n{"name": "Read", "arguments": {"file_path": "a"}}\n</tool_call>';
  const two = '<tool_call>{"name":"Bash","arguments":"{\\"command\\":\\"ls\\"}"}</tool_call>';
  expect(await callsOf(`I will look.\n${one}\n${two}\n`)).toEqual([
    { type: "tool_use", name: "Read", input: { file_path: "a" } },
    { type: "tool_use", name: "Bash", input: { command: "ls" } },
  ]);
  expect((await thinks(one)).events.at(-1)).toMatchObject({ kind: "finish", reason: "tool_use" });
  const other = "<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>";
  expect(await callsOf(`<tool_call>\n${other}\n</tool_call>`)).toEqual([
    { type: "tool_use", name: "Bash", input: {}, malformed: other },
  ]);
  expect(await callsOf(`${one} would be one way.`)).toEqual([]);
  expect(await callsOf(one, delta({ content: "I did not call." }))).toEqual([]);
  expect(await callsOf(one, call(0, { id: "c1" }, "Grep", "{}"))).toMatchObject([{ name: "Grep" }]);
  expect((await thinks("<tool_call>".repeat(20_000))).events.at(-1)).toMatchObject({ reason: "stop" });
});

test("[PROV-11] cached, written and reasoning tokens are found wherever a vendor counts them", async () => {
  const usages = [
    [{ prompt_tokens: 9, completion_tokens: 2, prompt_cache_hit_tokens: 4 }, [5, 2, 4, 0]],
    [{ prompt_tokens: 9, completion_tokens: 2, cached_tokens: 9 }, [0, 2, 9, 0]],
    [
      { prompt_tokens: 9, completion_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 5 },
      [1, 2, 3, 5],
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
      },
      [6, 2, 1, 2],
    ],
    [{ prompt_tokens: 307, completion_tokens: 26, total_tokens: 560 }, [307, 253, 0, 0]],
    [{ prompt_tokens: 3, cached_tokens: 50 }, [0, 0, 50, 0]],
  ] as const;
  for (const [usage, [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]] of usages) {
    const { events } = await read(stop("stop", { content: "x" }), { choices: [], usage }, DONE);
    const expected = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
    expect(events.find(({ kind }) => kind === "usage")).toEqual({ kind: "usage", usage: expected });
  }
  const groq = await read(stop("stop", { content: "x" }), { x_groq: { usage: { prompt_tokens: 1 } } }, DONE);
  expect(groq.events.some(({ kind }) => kind === "usage")).toBe(true);
  const moonshot = await read(
    delta({ content: "x" }, { finish_reason: "stop", usage: { prompt_tokens: 1 } }),
    DONE,
  );
  expect(moonshot.events.some(({ kind }) => kind === "usage")).toBe(true);
});

test("[PROV-04 ENG-19] thinking is kept separate from text and returns in the field it came in", async () => {
  for (const field of ["reasoning_content", "reasoning"]) {
    expect(
      await blocks(
        delta({ [field]: "Hm. " }),
        delta({ [field]: "Yes.", content: "" }),
        delta({ content: "Hi" }),
        stop("stop"),
        DONE,
      ),
    ).toEqual([
      { type: "thinking", family: "recorded", text: "Hm. Yes.", data: { [field]: "Hm. Yes." } },
      { type: "text", text: "Hi" },
    ]);
  }
  expect(await blocks(delta({ cot_summary: "Looking" }), stop("stop", { content: "Hi" }), DONE)).toEqual([
    { type: "thinking", family: "recorded", text: "Looking", data: {} },
    { type: "text", text: "Hi" },
  ]);
});

test("[PROV-03 ENG-19] signed reasoning details are joined and kept for the way back, also those without text", async () => {
  const text = (fields: object) => ({ type: "reasoning.text", index: 0, ...fields });
  expect(
    await blocks(
      delta({ reasoning: "One ", reasoning_details: [text({ text: "One " })] }),
      delta({ reasoning: "two", reasoning_details: [text({ text: "two" })] }),
      delta({ reasoning_details: [text({ signature: "c2ln" })] }),
      delta({ content: "3" }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "QQ" }] }),
      stop("stop"),
      DONE,
    ),
  ).toEqual([
    {
      type: "thinking",
      family: "recorded",
      text: "One two",
      data: { reasoning: "One two", reasoning_details: [text({ text: "One two", signature: "c2ln" })] },
    },
    { type: "text", text: "3" },
    {
      type: "thinking",
      family: "recorded",
      text: "",
      data: { reasoning_details: [{ type: "reasoning.encrypted", data: "QQ" }] },
    },
  ]);
});

test("[PROV-10] the deltas of several calls are joined by index, however ids and names come", async () => {
  const expected = [
    { type: "tool_use", name: "Read", input: { path: "a" } },
    { type: "tool_use", name: "Grep", input: { pattern: "b" } },
  ];
  expect(
    await blocks(
      call(0, { id: "1" }, "Read"),
      call(1, { id: "2" }, "Grep"),
      call(0, {}, undefined, '{"path"'),
      call(1, { id: "" }, "", '{"pattern":'),
      call(1, {}, undefined, '"b"}'),
      call(0, {}, undefined, ':"a"}'),
      stop("tool_calls"),
      DONE,
    ),
  ).toEqual(expected as never);
  const whole = (id: string, name: string, args: string) => ({ id, function: { name, arguments: args } });
  const one = whole("1", "Read", '{"path":"a"}');
  const two = whole("2", "Grep", '{"pattern":"b"}');
  // Without any index; numbered 0 both; another id in every delta; the name in every delta; the object itself.
  expect(await blocks(delta({ tool_calls: [one, two] }), stop("tool_calls"), DONE)).toEqual(
    expected as never,
  );
  expect(
    await blocks(delta({ tool_calls: [one] }), delta({ tool_calls: [two] }), stop("stop"), DONE),
  ).toEqual(expected as never);
  expect(
    await blocks(
      call(0, { id: "1" }, "Read", '{"path"'),
      call(0, { id: "x" }, undefined, ':"a"}'),
      call(1, { id: "2" }, "Grep", '{"patt'),
      call(1, { id: "2" }, "Grep", 'ern":"b"}'),
      stop("tool_calls"),
    ),
  ).toEqual(expected as never);
  expect(
    await blocks(
      delta({ tool_calls: [{ index: 0, function: { name: "Read", arguments: { path: "a" } } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: "Grep", arguments: { pattern: "b" } } }] }),
      stop("tool_calls"),
    ),
  ).toEqual(expected as never);
});

test("[PROV-10] the old function_call is a tool call", async () => {
  expect(
    await blocks(
      delta({ content: null, function_call: { name: "weather", arguments: "" } }),
      delta({ function_call: { arguments: '{"city":"Bern"}' } }),
      stop("function_call"),
      DONE,
    ),
  ).toEqual([{ type: "tool_use", name: "weather", input: { city: "Bern" } }]);
});

test("[PROV-10] an answer split over several choices is put together, and alternatives are left out", async () => {
  const choice = (index: number, inner: object, finish_reason: string | null = null) => ({
    index,
    delta: inner,
    finish_reason,
  });
  const tool = { index: 0, id: "1", function: { name: "Read", arguments: "{}" } };
  expect(
    await blocks(
      { choices: [choice(0, { content: "I look." }), choice(1, { tool_calls: [tool] })] },
      { choices: [choice(0, {}, "stop"), choice(1, {}, "tool_calls")] },
      DONE,
    ),
  ).toEqual([
    { type: "text", text: "I look." },
    { type: "tool_use", name: "Read", input: {} },
  ]);
  expect(await blocks({ choices: [choice(0, { content: "a" }), choice(1, { content: "b" })] }, DONE)).toEqual(
    [{ type: "text", text: "a" }],
  );
});

test("[PROV-10] the finish agrees with what the answer holds, whatever the server called it", async () => {
  const tool = { tool_calls: [{ index: 0, id: "1", function: { name: "Read", arguments: '{"a":1}' } }] };
  const cases = [
    [{ content: "x" }, "stop", "stop"],
    [{ content: "x" }, "tool_calls", "stop"],
    [tool, "stop", "tool_use"],
    [tool, "tool_calls", "tool_use"],
    [{ content: "x" }, "length", "length"],
    [{ content: "x" }, "max_tokens", "length"],
    [{ content: "x" }, "content_filter", "refused"],
    [{ content: "x" }, "sensitive", "refused"],
    [{ refusal: "I can't" }, "stop", "refused"],
  ] as const;
  for (const [inner, raw, reason] of cases) {
    const { events } = await read(stop(raw, inner), DONE);
    expect(events.at(-1)).toEqual({ kind: "finish", reason, raw });
  }
});

test("[PROV-10] a call that the output limit cut is left out", async () => {
  for (const args of ["", '{"path":"a']) {
    expect(await blocks(call(0, { id: "1" }, "Write", args), stop("length"), DONE)).toEqual([]);
  }
  expect(await blocks(call(0, { id: "1" }, "Write", '{"path":"a"}'), stop("length"), DONE)).toHaveLength(1);
});

test("[PROV-10] a finish reason or [DONE] ends well, neither does not", async () => {
  const withReason = await read(delta({ content: "x" }), stop("stop"));
  expect(withReason.events.at(-1)).toEqual({ kind: "finish", reason: "stop", raw: "stop" });
  const withDone = await read(call(0, { id: "1" }, "Read", "{}"), DONE);
  expect(withDone.events.at(-1)).toEqual({ kind: "finish", reason: "tool_use", raw: "[DONE]" });
  const cut = await read(call(0, { id: "1" }, "Read", "{}"));
  expect(cut.events).toEqual([]);
  expect(cut.thrown).toMatchObject({ reason: "StreamInterrupted", transient: true });
});

test("[PROV-03 PROV-04] an error inside a 200 stream has its reason, and what had come is kept", async () => {
  const cases = [
    [{ error: { code: 429, message: "Rate limit exceeded" } }, "ProviderFailed", true, 429],
    [
      { error: { code: 502, message: "Provider returned error", metadata: { raw: "boom" } } },
      "ProviderFailed",
      true,
      502,
    ],
    [{ error: { code: 402, message: "Insufficient credits" } }, "ProviderQuotaExceeded", false, 402],
    [{ error: { code: 401, message: "No auth" } }, "ProviderKeyRefused", false, 401],
    [{ error: { code: 403, message: "Your input was flagged" } }, "ResponseRefused", false, 403],
    [
      { error: { code: 400, message: "This endpoint's maximum context length is 8192 tokens" } },
      "ContextOverflow",
      false,
      400,
    ],
    [{ error: { type: "server_error", message: "oops" } }, "ProviderFailed", true, 500],
    [
      { error: { code: "insufficient_quota", message: "You exceeded your current quota" } },
      "ProviderQuotaExceeded",
      false,
      undefined,
    ],
    [{ error: { code: "1113", message: "Insufficient balance" } }, "ProviderQuotaExceeded", false, undefined],
    [{ error: { code: "1302", message: "High concurrency" } }, "ProviderFailed", true, 429],
    [{ error: { code: "1261", message: "Prompt exceeds max length" } }, "ContextOverflow", false, undefined],
    [{ error: { code: "1211", message: "Unknown model" } }, "UnknownModel", false, undefined],
    [{ error: { code: "1301", message: "unsafe" } }, "ResponseRefused", false, 403],
    [{ error: "just words" }, "ProviderFailed", true, undefined],
    [
      { choices: [{ index: 0, delta: {}, error: { code: 503, message: "down" } }] },
      "ProviderFailed",
      true,
      503,
    ],
    [stop("error"), "ProviderFailed", true, undefined],
    [stop("network_error"), "ProviderFailed", true, undefined],
  ] as const;
  for (const [event, reason, transient, status] of cases) {
    const { events, thrown } = await read(
      delta({ content: "So" }),
      call(0, { id: "1" }, "Bash", "{}"),
      event,
      DONE,
    );
    expect(events[0]).toEqual({ kind: "text", index: 0, text: "So" });
    expect(events.some((seen) => seen.kind === "block" && seen.block.type === "tool_use")).toBe(false);
    expect(thrown).toMatchObject({ reason, transient, status });
  }
});

test("[PROV-10] content in parts, plain completions and whole messages are read too", async () => {
  const parts = [
    { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
    { type: "text", text: "Hi" },
  ];
  expect(await blocks(delta({ content: parts }), stop("stop"), DONE)).toEqual([
    { type: "thinking", family: "recorded", text: "Hm", data: {} },
    { type: "text", text: "Hi" },
  ]);
  expect(
    await blocks({ choices: [{ text: "a" }] }, { choices: [{ text: "b", finish_reason: "stop" }] }, DONE),
  ).toEqual([{ type: "text", text: "ab" }]);
  expect(await blocks({ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] })).toEqual([
    { type: "text", text: "whole" },
  ]);
});
