import { describe, expect, test } from "bun:test";
import type { CallId } from "../../src/base/ids.ts";
import type { ModelRequest } from "../../src/providers/provider.ts";
import { calls, says } from "../support/mock-provider/turn.ts";
import { answerOf, KEY, openProviderRig, REQUEST, RIG_VENDORS, textOf } from "../support/provider-rig.ts";

const CALL = "call_01JABCDEFGHJKMNPQRSTVWXYZ0" as CallId;
const PACED = { paceMs: 1 };
const USAGE = { input: 900, output: 33, cacheRead: 600 };

/** A second round: a question, a call, its result. */
const SECOND_ROUND: ModelRequest = {
  ...REQUEST,
  tools: [{ name: "Read", description: "Reads a file.", inputSchema: { type: "object", properties: {} } }],
  messages: [
    ...REQUEST.messages,
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: CALL, name: "Read", input: { path: "a.txt" } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: CALL, content: [{ type: "text", text: "content" }] }],
    },
  ],
};

describe.each(RIG_VENDORS)("%s", (vendor) => {
  test("[PROV-01 PROV-05] text, thinking, a call and usage come through as one answer", async () => {
    await using rig = openProviderRig({
      vendor,
      script: [
        {
          parts: [
            { thinking: "Let me think about it." },
            { text: "I read the file äöü 🙂." },
            { tool: "Read", input: { path: "a.txt", limit: 5 } },
          ],
          usage: USAGE,
          deltaChars: 5,
          chunkBytes: 7,
        },
      ],
    });
    const events = await answerOf(rig.provider, SECOND_ROUND);
    const blocks = events.flatMap((event) => (event.kind === "block" ? [event.block] : []));
    expect(textOf(events)).toBe("I read the file äöü 🙂.");
    expect(blocks.filter(({ type }) => type !== "thinking")).toEqual([
      { type: "text", text: "I read the file äöü 🙂." },
      { type: "tool_use", name: "Read", input: { path: "a.txt", limit: 5 } },
    ]);
    expect(blocks.find(({ type }) => type === "thinking")).toMatchObject({
      type: "thinking",
      family: rig.provider.family,
      text: "Let me think about it.",
    });
    expect(events.findLast((event) => event.kind === "usage")).toEqual({
      kind: "usage",
      usage: { inputTokens: 900, outputTokens: 33, cacheReadTokens: 600, cacheWriteTokens: 0 },
    });
    expect(events.findLast((event) => event.kind === "finish")).toMatchObject({ reason: "tool_use" });
  });

  test("[PROV-12] round after round goes over one connection", async () => {
    await using rig = openProviderRig({
      vendor,
      // Paced, so that the end of the body is still under way when the last event has been read.
      script: [calls("Read", {}, PACED), says("one", PACED), says("two", PACED), says("three", PACED)],
    });
    for (let round = 0; round < 4; round++) await answerOf(rig.provider, SECOND_ROUND);
    expect(rig.mock.connections).toEqual({ opened: 1, open: 1 });
    expect(rig.mock.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1]);
  });

  test("[ENG-18 PROV-12] leaving the answer half-way closes the connection", async () => {
    await using rig = openProviderRig({
      vendor,
      script: [says("It never ends. ", { fault: { kind: "endless" } }), says("fine")],
    });
    for await (const event of rig.provider.chat(REQUEST, AbortSignal.any([]))) {
      if (event.kind === "text") break;
    }
    await rig.mock.until(({ connections }) => connections.open === 0);
    expect(textOf(await answerOf(rig.provider))).toBe("fine");
  });

  test("[ENG-18] a cancel in the middle of an answer ends it with the reason it was given", async () => {
    await using rig = openProviderRig({
      vendor,
      script: [says("On and on. ", { fault: { kind: "endless" } })],
    });
    const cancel = new AbortController();
    const reason = new Error("the user pressed Ctrl-C");
    const read = async () => {
      for await (const event of rig.provider.chat(REQUEST, cancel.signal)) {
        if (event.kind === "text") cancel.abort(reason);
      }
    };
    expect(await read().catch((thrown: unknown) => thrown)).toBe(reason);
    await rig.mock.until(({ connections }) => connections.open === 0);
    expect(rig.world.clock.waiting).toBe(0);
  });
});

test("[PROV-02] Anthropic gets the key in x-api-key, and the version of its wire", async () => {
  await using rig = openProviderRig({ script: [says("hi")] });
  await answerOf(rig.provider);
  expect(rig.mock.requests[0]).toMatchObject({
    method: "POST",
    path: "/messages",
    headers: { "x-api-key": KEY, "anthropic-version": "2023-06-01" },
  });
  expect(rig.mock.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("[PROV-03] OpenRouter gets the key, its application headers and cache marks that it passes on", async () => {
  await using rig = openProviderRig({ vendor: "openrouter", script: [says("hi")] });
  await answerOf(rig.provider, { ...REQUEST, cache: { prefix: true, messages: [0], key: "sess" } });
  expect(rig.mock.requests[0]).toMatchObject({
    path: "/chat/completions",
    headers: { authorization: `Bearer ${KEY}`, "http-referer": expect.any(String), "x-title": "cinch" },
  });
  expect(JSON.stringify(rig.mock.requests[0]?.body)).toContain("cache_control");
});

test("[PROV-04 PROV-15] Z.AI gets no cache hints at all", async () => {
  await using rig = openProviderRig({ vendor: "zai", script: [says("hi")] });
  await answerOf(rig.provider, { ...REQUEST, cache: { prefix: true, messages: [0], key: "sess" } });
  expect(JSON.stringify(rig.mock.requests[0]?.body)).not.toContain("cache");
});

test("[PROV-15] OpenAI gets the key that groups a session's requests", async () => {
  await using rig = openProviderRig({ vendor: "openai", script: [says("hi")] });
  await answerOf(rig.provider, { ...REQUEST, cache: { prefix: true, messages: [0], key: "sess" } });
  expect(rig.mock.requests[0]?.body).toMatchObject({ prompt_cache_key: "sess" });
});

test("[PROV-05] a server on this machine gets no key, and a custom one gets the key of its variable", async () => {
  await using server = openProviderRig({ vendor: "local", script: [says("hi")] });
  await answerOf(server.provider);
  expect(server.mock.requests[0]?.headers).not.toHaveProperty("authorization");
  await using own = openProviderRig({ vendor: "own openai-compatible", script: [says("hi")] });
  await answerOf(own.provider);
  expect(own.mock.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
});

test("[PROV-05] an address of Anthropic's wire works with and without its version", async () => {
  for (const end of ["", "/", "/v1", "/v1/"]) {
    await using rig = openProviderRig({ vendor: "own anthropic", script: [says("hi")], basePath: end });
    expect(textOf(await answerOf(rig.provider))).toBe("hi");
  }
});

test("[PROV-01] Anthropic counts tokens; the others are estimated by their bytes", async () => {
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "x".repeat(400) }] }];
  await using counted = openProviderRig();
  const signal = AbortSignal.any([]);
  expect(await counted.provider.tokenCount(messages, signal)).toBeGreaterThanOrEqual(100);
  expect(counted.mock.requests[0]).toMatchObject({ path: "/messages/count_tokens" });
  await using estimated = openProviderRig({ vendor: "openai" });
  expect(await estimated.provider.tokenCount(messages, signal)).toBe(104);
  expect(estimated.mock.requests).toEqual([]);
});
