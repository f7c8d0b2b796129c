import { expect, test } from "bun:test";
import type { MockProvider } from "../test/support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../test/support/mock-provider/mock-provider.ts";
import type { Turn } from "../test/support/mock-provider/turn.ts";
import { calls, fails, says } from "../test/support/mock-provider/turn.ts";
import type { HarnessConfig, HarnessTool } from "./index.ts";
import { Harness } from "./index.ts";
import { UNTRUSTED_NOTICE } from "./safety/fence.ts";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

function weather(execute: HarnessTool["execute"]): HarnessTool {
  return { name: "weather", description: "Tells the weather.", inputSchema: city, execute };
}

function harnessOn(
  mock: MockProvider,
  config: Partial<HarnessConfig>,
  tools: readonly HarnessTool[],
  told: unknown[],
) {
  return new Harness({ apiKey: "test-key", baseUrl: mock.url, ...config }, tools, {
    onText: (text) => told.push(["text", text]),
    onToolCall: (_id, name, input) => told.push(["call", name, input]),
    onToolResult: (_id, result, isError) => told.push(["result", result, isError]),
  });
}

function startMock(...script: Turn[]): MockProvider {
  return startMockProvider({ script });
}

test("[LIB-01] a Harness without an API key is refused at construction, with what to write", () => {
  expect(() => new Harness({ apiKey: "" })).toThrow(
    "a Harness needs an apiKey: new Harness({ apiKey }, tools)",
  );
});

test("[LIB-01] the defaults are those of the specification", async () => {
  await using mock = startMock(says("hello"));
  await using harness = harnessOn(mock, { model: "claude-haiku-4-5" }, [], []);
  await harness.prompt("hi");
  expect(mock.requests[0]?.body).toMatchObject({ max_tokens: 4_096, model: "claude-haiku-4-5" });
  expect(mock.requests[0]?.body["system"]).toMatchObject([{ text: UNTRUSTED_NOTICE }]);
  expect(mock.requests[0]?.headers["x-api-key"]).toBe("test-key");
});

test("[LIB-02] [LIB-04] a prompt runs to the end, and the handler gets whole blocks in order", async () => {
  await using mock = startMock(
    { parts: [{ text: "I will look it up." }, { tool: "weather", input: { city: "Oslo" } }], deltaChars: 3 },
    says("Take an umbrella."),
  );
  const told: unknown[] = [];
  await using harness = harnessOn(
    mock,
    { systemPrompt: "Be brief." },
    [weather(() => Promise.resolve("rain"))],
    told,
  );
  const result = await harness.prompt("Umbrella?");
  expect(result).toMatchObject({ text: "Take an umbrella.", reason: "complete", turns: 2 });
  expect(told).toEqual([
    ["text", "I will look it up."],
    ["call", "weather", { city: "Oslo" }],
    ["result", "rain", false],
    ["text", "Take an umbrella."],
  ]);
  expect(mock.requests[0]?.body["system"]).toMatchObject([
    { type: "text", text: `Be brief.\n\n${UNTRUSTED_NOTICE}` },
  ]);
});

test("[LIB-02] a second prompt while one runs is refused, and the first is not disturbed", async () => {
  await using mock = startMock(says("first"), says("second"));
  await using harness = harnessOn(mock, {}, [], []);
  const first = harness.prompt("one");
  await expect(harness.prompt("two")).rejects.toThrow("another prompt is running");
  expect((await first).text).toBe("first");
  expect((await harness.prompt("three")).text).toBe("second");
});

test("[LIB-02] a prompt rejects when the API fails, with the reason", async () => {
  await using mock = startMock({
    parts: [],
    fault: { kind: "status", status: 401, body: { error: { message: "bad key" } } },
  });
  await using harness = harnessOn(mock, {}, [], []);
  await expect(harness.prompt("hi")).rejects.toMatchObject({
    name: "HarnessError",
    reason: "ProviderKeyRefused",
  });
});

test("[LIB-02] [LIB-03] aborting the signal rejects with its reason, and the next prompt works", async () => {
  await using mock = startMock(fails({ kind: "stall", at: "end" }), says("back"));
  await using harness = harnessOn(mock, {}, [], []);
  const stop = new AbortController();
  const prompt = harness.prompt("hi", { signal: stop.signal }).catch((thrown: unknown) => thrown);
  await mock.until((state) => state.stalled === 1);
  const reason = new Error("the user left");
  stop.abort(reason);
  expect(await prompt).toBe(reason);
  expect((await harness.prompt("again")).text).toBe("back");
});

test("[LIB-03] cancel is safe when nothing runs, before the first prompt and after the last", async () => {
  await using mock = startMock(fails({ kind: "stall", at: "end" }), says("fine"));
  await using harness = harnessOn(mock, {}, [], []);
  harness.cancel();
  const prompt = harness.prompt("hi").catch((thrown: unknown) => thrown);
  await mock.until((state) => state.stalled === 1);
  harness.cancel();
  expect(await prompt).toMatchObject({ name: "Cancelled" });
  harness.cancel();
  expect((await harness.prompt("and now?")).text).toBe("fine");
});

test("[LIB-03] a prompt that is cancelled before its first request is sent rejects, and nothing is sent", async () => {
  await using mock = startMock(says("never"), says("fine"));
  await using harness = harnessOn(mock, {}, [], []);
  const prompt = harness.prompt("hi").catch((thrown: unknown) => thrown);
  harness.cancel();
  expect(await prompt).toMatchObject({ name: "Cancelled" });
  expect(mock.requests).toEqual([]);
});

test("[LIB-01] [TOOL-06] two tools of one name are refused at construction", () => {
  const tool = weather(() => Promise.resolve("rain"));
  expect(() => new Harness({ apiKey: "test-key" }, [tool, tool])).toThrow(
    "The tool name 'weather' is used by both library and library.",
  );
});

test("[LIB-04] a handler that throws does not break the run, and none at all is fine", async () => {
  await using mock = startMock(says("one"), says("two"));
  const broken = () => {
    throw new Error("the handler is broken");
  };
  const config = { apiKey: "test-key", baseUrl: mock.url };
  await using noisy = new Harness(config, [], { onText: broken });
  expect((await noisy.prompt("hi")).text).toBe("one");
  await using silent = new Harness(config);
  expect((await silent.prompt("hi")).text).toBe("two");
});

test("[LIB-05] input that does not fit the schema never reaches the tool, and the model gets the field", async () => {
  await using mock = startMock(calls("weather", { city: 7 }), says("I see"));
  const told: unknown[] = [];
  let runs = 0;
  const tool = weather(() => Promise.resolve(String(runs++)));
  await using harness = harnessOn(mock, {}, [tool], told);
  await harness.prompt("weather?");
  expect(runs).toBe(0);
  expect(told[1]).toEqual(["result", expect.stringContaining("city"), true]);
});

test("[LIB-05] what a tool throws is its result, and the signal it gets is aborted by cancel", async () => {
  await using mock = startMock(
    calls("weather", { city: "Oslo" }),
    says("I see"),
    calls("weather", { city: "Rome" }),
  );
  const told: unknown[] = [];
  const started = Promise.withResolvers<void>();
  const tool = weather((input, { signal }) => {
    if ((input as { city: string }).city === "Oslo")
      return Promise.reject(new Error("the station is closed"));
    started.resolve();
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  await using harness = harnessOn(mock, {}, [tool], told);
  await harness.prompt("weather?");
  expect(told[1]).toEqual(["result", "the station is closed", true]);
  const prompt = harness.prompt("and in Rome?").catch((thrown: unknown) => thrown);
  await started.promise;
  harness.cancel();
  expect(await prompt).toMatchObject({ name: "Cancelled" });
});

test("[LIB-07] all tools are in every request with tool choice auto, and a lazy one comes through ToolSearch", async () => {
  const hidden: HarnessTool = {
    ...weather(() => Promise.resolve("snow")),
    name: "polar_weather",
    lazy: true,
  };
  await using mock = startMock(
    calls("ToolSearch", { query: "polar" }),
    calls("CallTool", { name: "polar_weather", input: { city: "Alert" } }),
    says("It snows."),
  );
  const told: unknown[] = [];
  await using harness = harnessOn(mock, {}, [weather(() => Promise.resolve("rain")), hidden], told);
  expect((await harness.prompt("polar weather?")).text).toBe("It snows.");
  const declared = mock.requests.map(({ body }) => JSON.stringify(body["tools"]));
  expect(new Set(declared).size).toBe(1);
  expect(declared[0]).toContain('"weather"');
  expect(declared[0]).not.toContain("polar_weather");
  expect(mock.requests[0]?.body["tool_choice"]).toEqual({ type: "auto" });
  expect(told.at(-2)).toEqual(["result", "snow", false]);
});

test("[LIB-07] a lazy tool called blind is answered with its schema and may be called again", async () => {
  const hidden: HarnessTool = {
    ...weather(() => Promise.resolve("snow")),
    name: "polar_weather",
    lazy: true,
  };
  await using mock = startMock(
    calls("polar_weather", { place: "Alert" }),
    calls("polar_weather", { city: "Alert" }),
    says("It snows."),
  );
  const told: unknown[] = [];
  await using harness = harnessOn(mock, {}, [hidden], told);
  await harness.prompt("polar weather?");
  const results = told.filter((entry) => Array.isArray(entry) && entry[0] === "result");
  expect(results).toEqual([
    ["result", expect.stringContaining('"city"'), true],
    ["result", "snow", false],
  ]);
});

test("[LIB-08] aliases and the specification's own ids are accepted, a retired one is answered with its successor", async () => {
  await using mock = startMock(says("a"), says("b"), says("c"));
  const models: unknown[] = [];
  const notices: unknown[] = [];
  for (const model of ["opus", "claude-3-5-sonnet-20241022", undefined]) {
    await using harness = harnessOn(mock, model === undefined ? {} : { model }, [], []);
    await harness.prompt("hi");
    models.push(mock.requests.at(-1)?.body["model"]);
    notices.push(harness.notices.length);
  }
  expect(models).toEqual([
    expect.stringContaining("opus"),
    expect.stringContaining("sonnet"),
    expect.stringContaining("haiku"),
  ]);
  expect(notices).toEqual([0, 1, 1]);
});

test("[LIB-09] reaching maxTurns resolves with the reason, it does not reject", async () => {
  await using mock = startMock(
    calls("weather", { city: "Oslo" }),
    calls("weather", { city: "Oslo" }),
    says("late"),
  );
  await using harness = harnessOn(mock, { maxTurns: 2 }, [weather(() => Promise.resolve("rain"))], []);
  expect(await harness.prompt("weather?")).toMatchObject({ text: "", reason: "turn_limit", turns: 2 });
  expect((await harness.prompt("go on")).text).toBe("late");
});

test("[LIB-09] [ENG-05] without maxTurns a prompt ends after ten provider calls", async () => {
  await using mock = startMockProvider({ script: () => calls("weather", { city: "Oslo" }) });
  await using harness = harnessOn(mock, {}, [weather(() => Promise.resolve("rain"))], []);
  expect(await harness.prompt("weather?")).toMatchObject({ reason: "turn_limit", turns: 10 });
});

test("[LIB-02 LIB-09] what is no prompt or no limit is refused before anything is sent, and spoils nothing", async () => {
  await using mock = startMock(says("hello"));
  for (const config of [{ maxTurns: Number.NaN }, { maxTurns: 0 }, { maxTokens: 1.5 }, { maxTokens: -1 }]) {
    expect(() => harnessOn(mock, config, [], [])).toThrow("is a whole number of at least 1");
  }
  await using harness = harnessOn(mock, {}, [], []);
  for (const content of [undefined, {}, "", " \n"] as readonly unknown[]) {
    await expect(harness.prompt(content as string)).rejects.toThrow(
      "a prompt is a text, or blocks of text and images",
    );
  }
  expect(await harness.prompt("hi")).toMatchObject({ text: "hello" });
});

test("[LIB-02] a disposed harness takes no prompt, also when it never had one", async () => {
  await using mock = startMock();
  const harness = harnessOn(mock, {}, [], []);
  await harness[Symbol.asyncDispose]();
  await expect(harness.prompt("hi")).rejects.toMatchObject({ reason: "EngineStopping" });
  await harness[Symbol.asyncDispose]();
  expect(mock.requests).toEqual([]);
});

test("[LIB-04] an async handler that fails is nobody's unhandled rejection", async () => {
  await using mock = startMock(says("hello"));
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", listener);
  try {
    const onText = () => Promise.reject(new Error("the handler failed"));
    await using harness = new Harness({ apiKey: "k", baseUrl: mock.url }, [], { onText });
    await harness.prompt("hi");
  } finally {
    process.off("unhandledRejection", listener);
  }
  expect(unhandled).toEqual([]);
});

test("[LIB-05 ENG-12] a tool that answers with no text has failed, and the run continues", async () => {
  await using mock = startMock(calls("weather", { city: "Oslo" }), says("Sorry."));
  const told: unknown[] = [];
  const execute = () => Promise.resolve(undefined as unknown as string);
  await using harness = harnessOn(mock, {}, [weather(execute)], told);
  expect(await harness.prompt("Umbrella?")).toMatchObject({ text: "Sorry.", reason: "complete" });
  expect(told).toContainEqual([
    "result",
    "the result is undefined, not a text or an object with content",
    true,
  ]);
});
