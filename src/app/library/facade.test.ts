import { expect, test } from "bun:test";
import { startMockProvider } from "../../../test/support/mock-provider/mock-provider.ts";
import { calls, fails, says } from "../../../test/support/mock-provider/turn.ts";
import type { CallRetry, HarnessTool, InputBlock, Message, Plugin } from "../../index.ts";
import { Harness } from "../../index.ts";
import { UNTRUSTED_NOTICE } from "../../safety/fence.ts";

const SONNET = "claude-sonnet-4-5";
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function tool(name: string): HarnessTool {
  const inputSchema = { type: "object", properties: {} };
  return { name, description: "Tells something.", inputSchema, execute: async () => "rain" };
}

test("[LIB-10] a prompt's usage and cost, its reasoning and the prompt itself reach the embedder", async () => {
  await using mock = startMockProvider({
    script: [
      { parts: [{ thinking: "I need the weather." }, { tool: "get-weather", input: {} }] },
      says("Rain."),
    ],
  });
  const seen: unknown[] = [];
  await using harness = new Harness(
    { apiKey: "k", baseUrl: mock.url, model: SONNET },
    [tool("get-weather")],
    {
      onUser: (content) => seen.push(content),
      onReasoning: (text) => seen.push(["reasoning", text]),
      onToolCall: (_id, name) => seen.push(["call", name]),
      onText: (text) => seen.push(["text", text]),
      onUsage: ({ provider, inputTokens }) => seen.push([provider, inputTokens]),
    },
  );
  const { usage, text } = await harness.prompt("Umbrella?");
  expect(text).toBe("Rain.");
  expect(usage).toEqual({
    ...{ inputTokens: 200, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0 },
    costUsd: 0.0012,
  });
  expect(seen.filter((each) => !JSON.stringify(each).startsWith('["anthropic"'))).toEqual([
    [{ type: "text", text: "Umbrella?" }],
    ["reasoning", "I need the weather."],
    ["call", "get-weather"],
    ["text", "Rain."],
  ]);
  expect(seen.filter((each) => JSON.stringify(each) === '["anthropic",100]')).toHaveLength(2);
});

test("[LIB-10 ENG-13] a cap in dollars refuses the request that would exceed it", async () => {
  await using mock = startMockProvider({ script: [says("one"), says("two")] });
  const config = { apiKey: "k", baseUrl: mock.url, model: SONNET, maxCostUsd: 0.0005 };
  await using harness = new Harness(config);
  await harness.prompt("hi");
  expect(await harness.prompt("hi").catch((thrown: unknown) => thrown)).toMatchObject({ reason: "budget" });
  expect(mock.requests).toHaveLength(1);
});

test("[LIB-10] a conversation is handed out, kept as JSON, and resumed by another harness", async () => {
  await using mock = startMockProvider({
    script: [calls("weather", {}), says("Rain."), says("You asked about rain.")],
  });
  const config = { apiKey: "k", baseUrl: mock.url, model: SONNET };
  let kept: string;
  {
    await using first = new Harness(config, [tool("weather")]);
    expect(await first.history()).toEqual([]);
    await first.prompt("Umbrella?");
    kept = JSON.stringify(await first.history());
  }
  const history: Message[] = JSON.parse(kept);
  expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  await using second = new Harness({ ...config, history }, [tool("weather")]);
  expect(await second.history()).toEqual(history);
  expect((await second.prompt("What did I ask?")).text).toBe("You asked about rain.");
  const sent = JSON.stringify(mock.requests[2]?.body["messages"]);
  for (const text of ["Umbrella?", "Rain.", "What did I ask?", "tool_result"]) expect(sent).toContain(text);
  expect(await second.history()).toHaveLength(6);
});

test("[LIB-10] an invalid history is refused with the message and the field, and sends nothing", async () => {
  await using mock = startMockProvider({ script: [] });
  const history = [{ role: "user", content: "text" }] as unknown as Message[];
  await using harness = new Harness({ apiKey: "k", baseUrl: mock.url, history });
  await expect(harness.prompt("hi")).rejects.toThrow("history[0]: content");
  const unawaited = Promise.resolve([]) as unknown as Message[];
  await using second = new Harness({ apiKey: "k", baseUrl: mock.url, history: unawaited });
  await expect(second.prompt("hi")).rejects.toThrow("history is a list of messages");
  expect(mock.requests).toEqual([]);
});

test("[LIB-10 ENG-25] an image reaches the model beside the text", async () => {
  await using mock = startMockProvider({ script: [says("A dot.")] });
  await using harness = new Harness({ apiKey: "k", baseUrl: mock.url, model: SONNET });
  const source = { type: "base64" as const, media_type: "image/png", data: PNG };
  await harness.prompt([
    { type: "text", text: "What is this?" },
    { type: "image", source },
  ]);
  expect(JSON.stringify(mock.requests[0]?.body["messages"])).toContain(PNG);
  await expect(harness.prompt([])).rejects.toThrow("none of them empty");
  await expect(harness.prompt([{ type: "text", text: " " }])).rejects.toThrow("none of them empty");
  const untyped = [{ type: "image", source: { type: "base64", data: PNG } }] as unknown as InputBlock[];
  await expect(harness.prompt(untyped)).rejects.toThrow("prompt[0]: source.media_type");
  expect(mock.requests).toHaveLength(1);
});

for (const kind of ["openai-compatible", "openai-responses"] as const) {
  test(`[LIB-10 PROV-05] the library speaks the wire ${kind}, with a key or without one`, async () => {
    await using mock = startMockProvider({ script: [calls("weather", {}), says("Rain.")], key: "secret" });
    const config = { kind, baseUrl: `${mock.url}/v1`, model: "any", apiKey: "secret" };
    await using harness = new Harness(config, [tool("weather")]);
    expect(await harness.prompt("Umbrella?")).toMatchObject({ text: "Rain.", usage: { costUsd: null } });
    expect(mock.requests[0]?.headers["authorization"]).toBe("Bearer secret");
    await using open = startMockProvider({ script: [says("Hello.")] });
    await using keyless = new Harness({ kind, baseUrl: `${open.url}/v1`, model: "any" });
    expect((await keyless.prompt("hi")).text).toBe("Hello.");
    expect(open.requests[0]?.headers["authorization"]).toBeUndefined();
  });
}

test("[LIB-10] a wire without its address or its model, and one that there is not, are refused at construction", () => {
  const made = (config: object) => () => new Harness(config as { apiKey: string });
  expect(made({ kind: "openai-compatible", model: "m" })).toThrow("needs baseUrl and model");
  expect(made({ kind: "openai-responses", baseUrl: "http://127.0.0.1:1" })).toThrow(
    "needs baseUrl and model",
  );
  expect(made({ kind: "grpc", apiKey: "k" })).toThrow(
    'kind is one of anthropic, openai-compatible, openai-responses, not "grpc"',
  );
  expect(made({ apiKey: "k", maxCostUsd: Number.NaN })).toThrow("maxCostUsd is a number");
});

test("[LIB-01 PLUG-01 ENG-14] the system text is the embedder's, the word on fences, then what plugins add", async () => {
  const adding: Plugin = {
    name: "house",
    apiVersion: 1,
    register(harness) {
      harness.requestMiddleware((request, context, next) =>
        next(
          { ...request, system: [...request.system, { name: "house", text: "HOUSE RULE" as never }] },
          context,
        ),
      );
    },
  };
  await using mock = startMockProvider({ script: [says("ok"), says("ok")] });
  const config = { apiKey: "k", baseUrl: mock.url };
  await using harness = new Harness({ ...config, systemPrompt: "BASE" }, [], {}, { plugins: [adding] });
  await harness.prompt("hi");
  const text = ["BASE", UNTRUSTED_NOTICE, "HOUSE RULE"].join("\n\n");
  expect(mock.requests[0]?.body["system"]).toMatchObject([{ text }]);
  await using plain = new Harness(config);
  await plain.prompt("hi");
  expect(mock.requests[1]?.body["system"]).toMatchObject([{ text: UNTRUSTED_NOTICE }]);
});

test("[LIB-10 ENG-27] a model that goes in circles is stopped here too", async () => {
  const failing = { ...tool("weather"), execute: () => Promise.reject(new Error("no weather")) };
  await using mock = startMockProvider({ script: () => calls("weather", {}) });
  await using harness = new Harness({ apiKey: "k", baseUrl: mock.url, maxTurns: 50 }, [failing]);
  expect(await harness.prompt("Umbrella?")).toMatchObject({ reason: "no_progress" });
  expect(mock.requests).toHaveLength(5);
});

test("[LIB-10 PLUG-01] a plugin's refusal of a request rejects the prompt with its own reason, and nothing is sent", async () => {
  const refusing: Plugin = {
    name: "house",
    apiVersion: 1,
    register(harness) {
      harness.requestMiddleware(async function* (_request, context) {
        yield* [];
        throw context.error("after-hours", "No requests after six.");
      });
    },
  };
  await using mock = startMockProvider({ script: [] });
  const config = { apiKey: "k", baseUrl: mock.url };
  await using harness = new Harness(config, [], {}, { plugins: [refusing] });
  await expect(harness.prompt("hi")).rejects.toMatchObject({
    reason: "Custom:house:after-hours",
    message: "No requests after six.",
  });
  expect(mock.requests).toEqual([]);
});

test("[LIB-10 PLUG-01] request middleware that is an async function decides before it sends, and what it throws ends nothing else", async () => {
  let hour = 19;
  const asks: Plugin = {
    name: "house",
    apiVersion: 1,
    register(harness) {
      harness.requestMiddleware(async (request, context, next) => {
        await Promise.resolve();
        if (hour > 23) throw new Error("the clock is broken");
        if (hour > 18) throw context.error("after-hours", "No requests after six.");
        return next(request, context);
      });
    },
  };
  await using mock = startMockProvider({ script: [says("one"), says("two")] });
  await using harness = new Harness({ apiKey: "k", baseUrl: mock.url }, [], {}, { plugins: [asks] });
  await expect(harness.prompt("late")).rejects.toMatchObject({ reason: "Custom:house:after-hours" });
  expect(mock.requests).toEqual([]);
  hour = 9;
  expect(await harness.prompt("early")).toMatchObject({ text: "one" });
  hour = 99;
  expect(await harness.prompt("broken")).toMatchObject({ text: "two" });
});

test("[ENG-29 LIB-10] a prompt ends at its time limit, and each retry reaches the handler before its wait", async () => {
  const busy = fails({ kind: "status", status: 529 });
  await using mock = startMockProvider({ script: Array.from({ length: 20 }, () => busy) });
  const retries: CallRetry[] = [];
  const config = { apiKey: "k", baseUrl: mock.url, timeoutMs: 3_000 };
  await using harness = new Harness(config, [], { onRetry: (retry) => retries.push(retry) });
  expect(await harness.prompt("hi")).toMatchObject({
    reason: "time_limit",
    text: "",
    usage: { costUsd: null },
  });
  expect(retries[0]).toEqual({
    ...{ reason: "ProviderFailed", attempt: 2, attemptsMax: 10, waitMs: expect.any(Number) },
    message: expect.stringContaining("Trying again"),
  });
  expect(() => new Harness({ ...config, timeoutMs: 0 })).toThrow("timeoutMs is a whole number of at least 1");
});
