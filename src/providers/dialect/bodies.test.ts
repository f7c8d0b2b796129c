import { expect, test } from "bun:test";
import { trustedText } from "../../base/brand.ts";
import type { CallId } from "../../base/ids.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { Effort } from "../effort.ts";
import { ProviderError } from "../error.ts";
import type { ModelRequest } from "../provider.ts";
import { anthropicMessages } from "./anthropic-messages/anthropic-messages.ts";
import type { DialectContext } from "./dialect.ts";
import { openaiChat } from "./openai-chat/openai-chat.ts";
import { openaiResponses } from "./openai-responses/openai-responses.ts";

const CALL = "call_01ARZ3NDEKTSV4RRFFQ69G5FAV" as CallId;
const OTHER = "call_01ARZ3NDEKTSV4RRFFQ69G5FAW" as CallId;
const SCHEMA = { type: "object", properties: { path: { type: "string" } } };
const MARK = { cache_control: { type: "ephemeral" } };
const image = (media_type = "image/png"): ContentBlock => ({
  type: "image",
  source: { type: "base64", media_type, data: "iVBORw0=" },
});
const audio = (media_type = "audio/wav"): ContentBlock => ({
  type: "audio",
  source: { type: "base64", media_type, data: "UklGRg==" },
});
const text = (said: string): ContentBlock => ({ type: "text", text: said });
const user = (...content: ContentBlock[]): Message => ({ role: "user", content });
const assistant = (...content: ContentBlock[]): Message => ({ role: "assistant", content });
const thinking = (family: string, data: unknown): ContentBlock => ({
  type: "thinking",
  family,
  text: "hm",
  data,
});
const opaque = (family: string, data: unknown): ContentBlock => ({ type: "opaque", family, data });
const call = (id: CallId, input: unknown = { path: "a" }, name = "Read"): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: CallId, content: ContentBlock[], is_error?: boolean) =>
  ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...(is_error === undefined ? {} : { is_error }),
  }) as ContentBlock;

function request(messages: readonly Message[], parts: Partial<ModelRequest> = {}): ModelRequest {
  const none = { prefix: false, messages: [] };
  return { model: "m", system: [], messages, tools: [], outputTokensMax: 1_000, cache: none, ...parts };
}

const context = (family: string, parts: Partial<DialectContext> = {}): DialectContext => ({
  provider: family,
  family,
  model: "m",
  ...parts,
});

const FULL: Partial<ModelRequest> = {
  system: [
    { name: "profile", text: trustedText("Be brief.") },
    { name: "empty", text: trustedText(" ") },
    { name: "agents-md", text: trustedText("Use tabs.") },
  ],
  tools: [
    { name: "Read", description: "Reads.", inputSchema: SCHEMA },
    { name: "mcp.do", description: "Does.", inputSchema: SCHEMA },
  ],
  cache: { prefix: true, messages: [0, 2], key: "sess_1" },
};

/** A round with thinking, two calls, a failure, an image in a result, and words of the user next to the results. */
function round(family: string, data: unknown): readonly Message[] {
  return [
    user(text("Look.")),
    assistant(thinking(family, data), text("I look."), call(CALL), call(OTHER, { a: 1 }, "mcp.do")),
    user(text("Hurry."), result(CALL, [text("found"), image()]), result(OTHER, [text("no such file")], true)),
  ];
}

test("[PROV-02 PROV-15 ENG-19 ENG-25] a Messages body has system, tools, history and cache marks where they belong", () => {
  const data = { type: "thinking", thinking: "hm", signature: "c2ln" };
  expect(anthropicMessages.body(request(round("anthropic", data), FULL), context("anthropic"))).toEqual({
    model: "m",
    max_tokens: 1_000,
    stream: true,
    tools: [
      { name: "Read", description: "Reads.", input_schema: SCHEMA },
      { name: expect.stringMatching(/^mcp_do_[0-9a-f]{8}$/), description: "Does.", input_schema: SCHEMA },
    ],
    tool_choice: { type: "auto" },
    system: [{ type: "text", text: "Be brief.\n\nUse tabs.", ...MARK }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look.", ...MARK }] },
      {
        role: "assistant",
        content: [
          data,
          { type: "text", text: "I look." },
          { type: "tool_use", id: CALL, name: "Read", input: { path: "a" } },
          { type: "tool_use", id: OTHER, name: expect.stringMatching(/^mcp_do_/), input: { a: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: CALL,
            content: [
              { type: "text", text: "found" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
            ],
          },
          {
            type: "tool_result",
            tool_use_id: OTHER,
            content: [{ type: "text", text: "no such file" }],
            is_error: true,
            ...MARK,
          },
          { type: "text", text: "Hurry." },
        ],
      },
    ],
  });
});

test("[PROV-03 PROV-15 ENG-25] a chat body answers each call right away and shows images after the results", () => {
  const data = {
    reasoning: "hm",
    reasoning_details: [{ type: "reasoning.text", text: "hm", signature: "s" }],
  };
  const quirks = {
    cacheControl: true,
    promptCacheKey: true,
    maxTokensField: "max_completion_tokens",
  } as const;
  const body = openaiChat.body(request(round("acme", data), FULL), context("acme", { quirks }));
  expect(body).toEqual({
    model: "m",
    max_completion_tokens: 1_000,
    stream: true,
    stream_options: { include_usage: true },
    prompt_cache_key: "sess_1",
    tools: [
      { type: "function", function: { name: "Read", description: "Reads.", parameters: SCHEMA } },
      {
        type: "function",
        function: { name: expect.stringMatching(/^mcp_do_/), description: "Does.", parameters: SCHEMA },
      },
    ],
    tool_choice: "auto",
    messages: [
      { role: "system", content: [{ type: "text", text: "Be brief.\n\nUse tabs.", ...MARK }] },
      { role: "user", content: [{ type: "text", text: "Look.", ...MARK }] },
      {
        role: "assistant",
        content: "I look.",
        ...data,
        tool_calls: [
          { id: CALL, type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
          {
            id: OTHER,
            type: "function",
            function: { name: expect.stringMatching(/^mcp_do_/), arguments: '{"a":1}' },
          },
        ],
      },
      { role: "tool", tool_call_id: CALL, content: "found" },
      {
        role: "tool",
        tool_call_id: OTHER,
        content: [{ type: "text", text: "Error: no such file", ...MARK }],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "The tool returned this:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0=" } },
          { type: "text", text: "Hurry." },
        ],
      },
    ],
  });
});

test("[PROV-04] a plain chat body is as small as the smallest server wants it, and without marks", () => {
  const messages = [
    user(text("a"), text("b")),
    assistant(call(CALL, "no object")),
    user(result(CALL, [])),
    assistant(text("ok")),
    assistant(text("done")),
  ];
  const system = [{ name: "p", text: trustedText("s") }];
  expect(
    openaiChat.body(
      request(messages, { system, cache: { prefix: true, messages: [0], key: "k" } }),
      context("zai"),
    ),
  ).toEqual({
    model: "m",
    max_tokens: 1_000,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: "a\n\nb" },
      {
        role: "assistant",
        tool_calls: [{ id: CALL, type: "function", function: { name: "Read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: CALL, content: "(no output)" },
      { role: "assistant", content: "ok\n\ndone" },
    ],
  });
});

test("[PROV-05 PROV-15 ENG-19] a Responses body stores nothing and carries its reasoning along, encrypted", () => {
  const data = { id: "rs_1", type: "reasoning", encrypted_content: "gAAAA", summary: [] };
  const parts = { ...FULL, model: "gpt-5.1", thinking: { effort: "high" } } as const;
  expect(openaiResponses.body(request(round("openai", data), parts), context("openai"))).toEqual({
    model: "gpt-5.1",
    max_output_tokens: 1_000,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "high", summary: "auto" },
    prompt_cache_key: "sess_1",
    instructions: "Be brief.\n\nUse tabs.",
    tools: [
      { type: "function", name: "Read", description: "Reads.", parameters: SCHEMA, strict: false },
      {
        type: "function",
        name: expect.stringMatching(/^mcp_do_/),
        description: "Does.",
        parameters: SCHEMA,
        strict: false,
      },
    ],
    tool_choice: "auto",
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Look." }] },
      data,
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: CALL, name: "Read", arguments: '{"path":"a"}' },
      {
        type: "function_call",
        call_id: OTHER,
        name: expect.stringMatching(/^mcp_do_/),
        arguments: '{"a":1}',
      },
      {
        type: "function_call_output",
        call_id: CALL,
        output: [
          { type: "input_text", text: "found" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0=", detail: "auto" },
        ],
      },
      { type: "function_call_output", call_id: OTHER, output: "Error: no such file" },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hurry." }] },
    ],
  });
  const plain = openaiResponses.body(
    request([user(text("x"))], { model: "gpt-4.1-mini", thinking: { effort: "low" } }),
    context("openai"),
  );
  expect(plain).toEqual({
    model: "gpt-4.1-mini",
    max_output_tokens: 1_000,
    stream: true,
    store: false,
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "x" }] }],
  });
});

test("[ENG-19] thinking and unknown blocks of another family are dropped by every dialect", () => {
  const data = {
    type: "thinking",
    thinking: "hm",
    signature: "s",
    encrypted_content: "e",
    reasoning_content: "hm",
  };
  const messages = [
    user(text("a")),
    assistant(thinking("elsewhere", data), opaque("elsewhere", { type: "odd", secret: "mark" }), text("b")),
  ];
  const without = [user(text("a")), assistant(text("b"))];
  for (const dialect of [anthropicMessages, openaiChat, openaiResponses]) {
    expect(dialect.body(request(messages), context("here"))).toEqual(
      dialect.body(request(without), context("here")),
    );
  }
});

test("[ENG-19 PROV-02] thinking that came without its signature is not sent to a wire that refuses it", () => {
  const unsigned = { type: "thinking", thinking: "hm" };
  const sent = (...content: readonly ContentBlock[]) =>
    anthropicMessages.body(
      request([user(text("a")), assistant(...content), user(text("c"))]),
      context("anthropic"),
    );
  for (const data of [unsigned, { ...unsigned, signature: "" }, { ...unsigned, signature: 7 }]) {
    expect(sent(thinking("anthropic", data), text("b"))).toEqual(sent(text("b")));
    expect(sent(thinking("anthropic", data))).toEqual(sent());
  }
});

test("[ENG-19 PROV-15] what a family made goes back to it verbatim: signed, redacted and unknown blocks", () => {
  const signed = { type: "thinking", thinking: "", signature: "c2ln", extra: { kept: true } };
  const redacted = { type: "redacted_thinking", data: "b3BhcXVl" };
  const odd = { type: "fallback", from: { model: "a" }, to: { model: "b" } };
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
  const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
  const content = [
    thinking("anthropic", signed),
    thinking("anthropic", redacted),
    opaque("anthropic", odd),
    opaque("anthropic", search),
    opaque("anthropic", found),
    text("b"),
  ];
  const body = anthropicMessages.body(
    request([user(text("a")), assistant(...content)]),
    context("anthropic"),
  );
  expect(body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "a" }] },
    { role: "assistant", content: [signed, redacted, odd, search, found, { type: "text", text: "b" }] },
  ]);
});

test("[R01] a server tool's call without its result goes back only at the end, where the answer was paused", () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
  const paused = [user(text("a")), assistant(text("b"), opaque("anthropic", search))];
  const at = (messages: readonly Message[]) =>
    JSON.stringify(anthropicMessages.body(request(messages), context("anthropic"))).includes(
      "server_tool_use",
    );
  expect(at(paused)).toBe(true);
  expect(at([...paused, user(text("c"))])).toBe(false);
});

test("[ENG-25] what a dialect cannot express is refused with the kind of content, before anything is sent", () => {
  const cases = [
    [anthropicMessages, audio(), "audio"],
    [anthropicMessages, image("image/tiff"), "images of type image/tiff"],
    [openaiChat, audio("audio/ogg"), "audio of type audio/ogg"],
    [openaiChat, image("text/html,<x>"), "images of type text/html,<x>"],
    [openaiResponses, audio(), "audio"],
  ] as const;
  for (const [dialect, block, content] of cases) {
    for (const messages of [
      [user(block)],
      [user(text("a")), assistant(call(CALL)), user(result(CALL, [block]))],
    ]) {
      const make = () => dialect.body(request(messages), context("here"));
      expect(make).toThrow(ProviderError);
      expect(make).toThrow(`The model m takes no ${content}. Leave it out or pick another model.`);
    }
  }
  expect(openaiChat.body(request([user(audio("audio/mpeg"))]), context("here"))["messages"]).toEqual([
    { role: "user", content: [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "mp3" } }] },
  ]);
});

test("[PROV-02] thinking is asked for in the form that the model takes, and not where the API would refuse it", () => {
  const ask = (model: string, parts: Partial<ModelRequest> = {}, messages = [user(text("a"))]) => {
    const all = { model, outputTokensMax: 32_000, thinking: { effort: "medium" } as const, ...parts };
    const body = anthropicMessages.body(request(messages, all), context("anthropic"));
    return Object.fromEntries(Object.entries(body).filter(([key]) => /^(thinking|output_config)$/.test(key)));
  };
  const budget = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
  for (const model of [
    "claude-3-7-sonnet-20250219",
    "claude-sonnet-4-20250514",
    "claude-opus-4-1",
    "claude-haiku-4-5-20251001",
    "glm-4.6",
  ]) {
    expect(ask(model)).toEqual(budget(8_192));
  }
  for (const model of [
    "claude-opus-4-6",
    "claude-opus-4-8",
    "claude-sonnet-5",
    "claude-haiku-5-5-20261007",
    "claude-fable-5-1",
  ]) {
    expect(ask(model)).toEqual({ thinking: { type: "adaptive" }, output_config: { effort: "medium" } });
  }
  expect(ask("claude-opus-4-1", { thinking: { effort: "low", budgetTokens: 10 } })).toEqual(budget(1_024));
  expect(ask("claude-opus-4-1", { outputTokensMax: 4_096 })).toEqual(budget(3_072));
  expect(ask("claude-opus-4-1", { outputTokensMax: 1_024 })).toEqual({});
  const unthought = [user(text("a")), assistant(call(CALL)), user(result(CALL, [text("x")]))];
  expect(ask("claude-opus-4-1", {}, unthought)).toEqual({});
});

test("[PROV-02 PROV-03 PROV-05] an effort that a model has no word for becomes the nearest below", () => {
  const of = (model: string, effort: Effort) => {
    const asked = request([user(text("a"))], { model, outputTokensMax: 64_000, thinking: { effort } });
    return {
      anthropic: anthropicMessages.body(asked, context("anthropic"))["output_config"],
      responses: openaiResponses.body(asked, context("openai"))["reasoning"],
      chat: openaiChat.body(asked, context("p"))["reasoning_effort"],
      gateway: openaiChat.body(asked, context("p", { quirks: { thinkingField: "reasoning" } }))["reasoning"],
    };
  };
  expect(of("claude-opus-4-6", "xhigh").anthropic).toEqual({ effort: "high" });
  expect(of("claude-opus-4-6", "max").anthropic).toEqual({ effort: "max" });
  expect(of("claude-sonnet-4-6", "max").anthropic).toEqual({ effort: "high" });
  expect(of("claude-opus-4-8", "xhigh").anthropic).toEqual({ effort: "xhigh" });
  expect(of("gpt-5.1", "max").responses).toEqual({ effort: "high", summary: "auto" });
  expect(of("gpt-5.2", "max").responses).toEqual({ effort: "xhigh", summary: "auto" });
  expect(of("any", "low")).toMatchObject({ chat: "low", gateway: { effort: "low" } });
  expect(of("any", "max")).toMatchObject({ chat: "high", gateway: { effort: "xhigh" } });
});

test("[PROV-03 PROV-04] chat completions are asked to think in the words of their vendor", () => {
  const ask = (thinkingField?: "reasoning_effort" | "reasoning" | "thinking") => {
    const quirks = thinkingField === undefined ? {} : { thinkingField };
    return openaiChat.body(
      request([user(text("a"))], { thinking: { effort: "low" } }),
      context("p", { quirks }),
    );
  };
  expect(ask()).toMatchObject({ reasoning_effort: "low" });
  expect(ask("reasoning")).toMatchObject({ reasoning: { effort: "low" } });
  expect(ask("thinking")).toMatchObject({ thinking: { type: "enabled" } });
});

test("[PROV-15] the Messages API gets four cache marks at most, the later ones", () => {
  const messages = Array.from({ length: 7 }, (_, index) =>
    (index % 2 === 0 ? user : assistant)(text(`${index}`)),
  );
  const cache = { prefix: true, messages: [0, 1, 2, 3, 6] };
  const system = [{ name: "p", text: trustedText("s") }];
  const body = anthropicMessages.body(request(messages, { cache, system }), context("anthropic"));
  const marked = (body["messages"] as Message[]).map(({ content }) => "cache_control" in (content[0] ?? {}));
  expect(marked).toEqual([false, false, true, true, false, false, true]);
  const tools = [{ name: "Read", description: "", inputSchema: SCHEMA }];
  const bare = anthropicMessages.body(
    request(messages, { cache: { prefix: true, messages: [] }, tools }),
    context("a"),
  );
  expect(bare["tools"]).toEqual([{ name: "Read", description: "", input_schema: SCHEMA, ...MARK }]);
});

test("[R05] lone surrogates are replaced everywhere, in keys and in arguments too", () => {
  const messages = [
    user(text("a\ud83d")),
    assistant(call(CALL, { "k\ud83d": ["\udc00"] })),
    user(result(CALL, [text("\ud83dx")])),
  ];
  for (const dialect of [anthropicMessages, openaiChat, openaiResponses]) {
    const sent = JSON.stringify(dialect.body(request(messages), context("here")));
    expect(sent).not.toMatch(/\\ud[89a-f]/i);
    expect(sent).toContain("k\ufffd");
  }
});

test("[R05] names that a wire refuses are sent in another spelling, two of them never in the same", () => {
  const tools = ["a.b", "a_b", "a b", "x".repeat(65), "x".repeat(66), ""].map((name) => ({
    name,
    description: "",
    inputSchema: SCHEMA,
  }));
  const body = anthropicMessages.body(request([user(text("a"))], { tools }), context("a"));
  const names = (body["tools"] as { name: string }[]).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(names[1]).toBe("a_b");
});

test("[CTL-19 ENG-25] a PDF of the user goes out in the form of each dialect, and only where it can", () => {
  const source = { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } as const;
  const pdf = { type: "document", source } as const;
  const asked = request([user(text("read"), pdf)]);
  const anthropic = anthropicMessages.body(asked, context("anthropic"))["messages"];
  expect(anthropic).toMatchObject([{ content: [{ type: "text" }, { type: "document", source }] }]);
  const file = { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0=" };
  expect(openaiResponses.body(asked, context("openai"))["input"]).toMatchObject([
    { content: [{ type: "input_text" }, { type: "input_file", ...file }] },
  ]);
  const routed = { ...context("openrouter"), quirks: { fileParts: true } };
  expect(openaiChat.body(asked, routed)["messages"]).toMatchObject([
    { content: [{ type: "text" }, { type: "file", file }] },
  ]);
  expect(() => openaiChat.body(asked, context("here"))).toThrow(
    "The model m takes no PDFs. Leave it out or pick another model.",
  );
  const page = { ...pdf, source: { ...source, media_type: "text/html" } };
  for (const dialect of [anthropicMessages, openaiResponses])
    expect(() => dialect.body(request([user(page)]), context("here"))).toThrow("documents of type text/html");
});
