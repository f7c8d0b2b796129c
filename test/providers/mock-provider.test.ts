import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { arrayAt } from "../../src/base/json.ts";
import { hostFetch } from "../../src/platform/sockets/fetch.ts";
import type { MockOptions } from "../support/mock-provider/mock-provider.ts";
import { startMockProvider } from "../support/mock-provider/mock-provider.ts";
import { says } from "../support/mock-provider/turn.ts";
import { temporaryDirectory } from "../support/world.ts";

const signal = new AbortController().signal;
const USE = { type: "tool_use", id: "toolu_1", name: "Read", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "x" };
const CALL = { id: "call_1", type: "function", function: { name: "Read", arguments: "{}" } };
const FUNCTION_CALL = { type: "function_call", call_id: "call_1", name: "Read", arguments: "{}" };
const FUNCTION_OUTPUT = { type: "function_call_output", call_id: "call_1", output: "x" };

const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });

/** Returns the mock's answer to a body: the status, and the reason of a refusal. */
async function answerTo(path: string, body: object, options: Partial<MockOptions> = {}): Promise<string> {
  await using mock = startMockProvider({ script: [says("fine")], ...options });
  const response = await hostFetch()(`${mock.url}/v1${path}`, {
    method: "POST",
    headers: { "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, max_tokens: 10, ...body }),
    signal,
  });
  const text = await response.text();
  return response.status === 200
    ? "fine"
    : String(arrayAt({ list: [JSON.parse(text).error.message] }, "list")[0]);
}

test("[ENG-03] the mock refuses what Anthropic refuses", async () => {
  const answer = (messages: readonly unknown[]) => answerTo("/messages", { messages });
  expect(await answer([user("a"), assistant([USE]), user([RESULT])])).toBe("fine");
  expect(await answer([])).toContain("at least one message");
  expect(await answer([assistant("a")])).toContain('must use the "user" role');
  expect(await answer([user([{ type: "text", text: "" }])])).toContain("must be non-empty");
  expect(await answer([user("a"), assistant([USE]), user("b")])).toContain("without `tool_result` blocks");
  expect(await answer([user("a"), assistant([USE])])).toContain("without `tool_result` blocks");
  expect(await answer([user("a"), assistant([USE]), user([RESULT, RESULT])])).toContain("single result");
  expect(await answer([user("a"), user([RESULT])])).toContain("unexpected `tool_use_id`");
  const late = [{ type: "text", text: "b" }, RESULT];
  expect(await answer([user("a"), assistant([USE]), user(late)])).toContain("must come before other content");
  const marks = Array.from({ length: 5 }, () => ({
    type: "text",
    text: "a",
    cache_control: { type: "ephemeral" },
  }));
  expect(await answer([user(marks)])).toContain("maximum of 4 blocks");
});

test("[ENG-03] the mock refuses what chat completions refuse", async () => {
  const answer = (messages: readonly unknown[]) => answerTo("/chat/completions", { messages });
  const call = { role: "assistant", content: null, tool_calls: [CALL] };
  const result = { role: "tool", tool_call_id: "call_1", content: "x" };
  expect(await answer([user("a"), call, result])).toBe("fine");
  expect(await answer([user("a"), call])).toContain("must be followed by tool messages");
  expect(await answer([user("a"), result])).toContain("must be a response to a preceding message");
  expect(await answer([user("a"), call, result, result])).toContain("must be followed by tool messages");
  expect(await answer([assistant(null)])).toContain("expected a string, got null");
  expect(await answer([{ role: "owner", content: "a" }])).toContain("Invalid value: 'owner'");
});

test("[ENG-03] the mock refuses what the Responses API refuses", async () => {
  const answer = (input: readonly unknown[]) => answerTo("/responses", { input });
  expect(await answer([user("a"), FUNCTION_CALL, FUNCTION_OUTPUT])).toBe("fine");
  expect(await answer([user("a"), FUNCTION_CALL])).toContain("No tool output found for function call call_1");
  expect(await answer([user("a"), FUNCTION_OUTPUT])).toContain("No tool call found");
  expect(await answer([user("")])).toContain("must not be empty");
  expect(await answer([user("a"), { type: "reasoning", id: "rs_1" }])).toContain(
    "without its required following",
  );
});

test("[REL-03] the mock runs as a program of its own, and records what it was asked", async () => {
  await using directory = temporaryDirectory();
  const script = `${directory.path}/script.json`;
  const record = `${directory.path}/requests.jsonl`;
  await Bun.write(script, JSON.stringify({ script: [says("from another process")], repeat: true }));
  const main = fileURLToPath(new URL("../support/mock-provider/main.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, main, "--script", script, "--record", record], {
    stdout: "pipe",
    env: {},
  });
  try {
    const reader = child.stdout.getReader();
    const address = new TextDecoder().decode((await reader.read()).value).trim();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const body = JSON.stringify({ model: "m", stream: true, messages: [user("a")] });
    for (let i = 0; i < 2; i++) {
      const response = await hostFetch()(`${address}/v1/chat/completions`, { method: "POST", body, signal });
      expect(await response.text()).toContain("from another process");
    }
    const lines = (await Bun.file(record).text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).path)).toEqual(["/chat/completions", "/chat/completions"]);
  } finally {
    child.kill();
    await child.exited;
  }
});
