import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Turn } from "../../../test/support/mock-provider/turn.ts";
import { calls, fails, says } from "../../../test/support/mock-provider/turn.ts";
import type { OtlpReceiver, ReceivedSpan } from "../../../test/support/otlp-receiver.ts";
import { startOtlpReceiver } from "../../../test/support/otlp-receiver.ts";
import { follow, openPlace, turn } from "../../../test/support/place.ts";

function openRig(telemetry: (url: string) => string, ...script: readonly Turn[]) {
  const receiver = startOtlpReceiver();
  const place = openPlace(...script);
  const path = join(place.root, "config/config.toml");
  const config = readFileSync(path, "utf8");
  place.config(`${config}${telemetry(receiver.url)}`);
  return {
    ...place,
    receiver,
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

/** Limit for text in one attribute. */
const CONTENT_CHARACTERS = 32_768;

const on = (url: string) => `[telemetry]\notlp = "${url}"\n`;

/** Names from the root down, each with how deep it stands. */
function tree({ spans }: OtlpReceiver): readonly string[] {
  const below = (parent: ReceivedSpan | undefined, depth: number): readonly string[] =>
    spans
      .filter((span) => span.parent === parent?.id)
      .flatMap((span) => [`${"  ".repeat(depth)}${span.name}`, ...below(span, depth + 1)]);
  return below(undefined, 0);
}

test("[OBS-01] a session, its turns, requests and calls are spans of one trace with the GenAI conventions, and tokens and times are counted", async () => {
  await using rig = openRig(on, calls("Read", { file_path: "notes.txt" }), calls("Read", {}), says("done"));
  rig.write("notes.txt", "hello\n");
  {
    await using harness = await rig.open();
    await turn(harness, "what do the notes say?");
  }
  const { receiver } = rig;
  expect(receiver.problems).toEqual([]);
  expect(tree(receiver)).toEqual([
    "session",
    "  invoke_agent cinch",
    "    chat test-1",
    "    execute_tool Read",
    "    chat test-1",
    "    execute_tool Read",
    "    chat test-1",
  ]);
  expect(new Set(receiver.spans.map(({ trace }) => trace)).size).toBe(1);
  expect(receiver.resource).toMatchObject({ "service.name": "cinch" });
  const [chat] = receiver.spans.filter(({ name }) => name.startsWith("chat"));
  expect(chat).toMatchObject({
    kind: 3,
    failed: false,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "mock",
      "gen_ai.request.model": "test-1",
      "gen_ai.request.max_tokens": 16_384,
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
      "cinch.time_to_first_token": expect.any(Number),
    },
  });
  const tools = receiver.spans.filter(({ name }) => name === "execute_tool Read");
  expect(tools.map(({ failed, attributes }) => [failed, attributes["error.type"]])).toEqual([
    [false, undefined],
    [true, "tool_error"],
  ]);
  const agent = receiver.spans.find(({ name }) => name === "invoke_agent cinch");
  expect(agent?.attributes).toMatchObject({
    "gen_ai.agent.name": "cinch",
    "cinch.turn.end_reason": "complete",
  });
  const points = (name: string) => receiver.metrics.find((metric) => metric.name === name)?.points;
  expect(points("gen_ai.client.token.usage")).toEqual([
    { attributes: expect.objectContaining({ "gen_ai.token.type": "input" }), count: 3, sum: 300 },
    { attributes: expect.objectContaining({ "gen_ai.token.type": "output" }), count: 3, sum: 60 },
  ]);
  expect(points("gen_ai.client.operation.duration")?.map(({ count }) => count)).toEqual([3]);
  expect(points("cinch.tool.duration")?.map(({ count }) => count)).toEqual([1, 1]);
});

test("[OBS-01] a denied call is distinguished from a failed one", async () => {
  const script = [calls("Read", { file_path: "none.txt" }), calls("Ls", { path: "." }), says("done")];
  await using rig = openRig(on, ...script);
  rig.config(`${readFileSync(join(rig.root, "config/config.toml"), "utf8")}[permissions]\ndeny = ["Ls"]\n`);
  {
    await using harness = await rig.open();
    await turn(harness, "look");
  }
  const errors = (name: string) =>
    rig.receiver.spans.flatMap((span) => (span.name === name ? [span.attributes["error.type"]] : []));
  expect([errors("execute_tool Read"), errors("execute_tool Ls")]).toEqual([
    ["tool_error"],
    ["PermissionDenied"],
  ]);
  const { points } = rig.receiver.metrics.find(({ name }) => name === "cinch.tool.duration") ?? {};
  expect(points?.map(({ attributes }) => attributes["error.type"])).toEqual([
    "tool_error",
    "PermissionDenied",
  ]);
});

test("[OBS-01 ENG-23] the session of a task stands in the call that gave it, in the same trace", async () => {
  const hand = calls("Delegate", { prompt: "count them" });
  await using rig = openRig(on, hand, calls("Ls", { path: "." }), says("one"), says("there is one"));
  rig.config(
    `${readFileSync(join(rig.root, "config/config.toml"), "utf8")}[delegate]\nmodel = "mock:cheap"\n`,
  );
  {
    await using harness = await rig.open();
    await turn(harness, "how many?");
  }
  const { receiver } = rig;
  expect(receiver.problems).toEqual([]);
  expect(tree(receiver)).toEqual([
    "session",
    "  invoke_agent cinch",
    "    chat test-1",
    "    execute_tool Delegate",
    "      session",
    "        invoke_agent cinch",
    "          chat cheap",
    "          execute_tool Ls",
    "          chat cheap",
    "    chat test-1",
  ]);
  expect(new Set(receiver.spans.map(({ trace }) => trace)).size).toBe(1);
  const sessions = receiver.spans.filter(({ name }) => name === "session");
  expect(new Set(sessions.map(({ attributes }) => attributes["session.id"])).size).toBe(2);
});

test("[OBS-01 SES-05] texts of the conversation are not exported; with content they are, without secrets", async () => {
  const secret = `ghp_${"k3VxQ9mZ7tLp2RwYb8Nc"}${"4HsJd6FgAeUoXi1T"}`;
  for (const content of [false, true]) {
    await using rig = openRig(
      (url) => `${on(url)}content = ${content}\n`,
      calls("Read", { file_path: "n.txt" }),
      calls(`mumbled${"y".repeat(CONTENT_CHARACTERS)}`, {}),
      calls("Read", { file_path: `${"x".repeat(CONTENT_CHARACTERS - 30)}/${secret}` }),
      says("whispered"),
    );
    rig.write("n.txt", `muttered ${secret}\n`);
    {
      await using harness = await rig.open();
      await turn(harness, "shouted");
    }
    expect(rig.receiver.problems).toEqual([]);
    const all = JSON.stringify(rig.receiver.spans);
    for (const word of ["shouted", "whispered", "muttered", "mumbled", "n.txt"])
      expect([word, all.includes(word)]).toEqual([word, content]);
    expect(JSON.stringify(rig.receiver.metrics)).not.toContain("mumbled");
    expect(rig.receiver.spans.map(({ name }) => name)).toContain("execute_tool _OTHER");
    expect(all).not.toContain(secret.slice(0, 8)); // nor the half of one at the end of what is cut
  }
});

test("[OBS-01] messages have the form of the GenAI conventions, whole JSON however long it is, and a sub-agent its own name", async () => {
  await using rig = openRig(
    (url) => `${on(url)}content = true\n`,
    calls("Agent", { type: "general", prompt: "look into it" }),
    calls("Read", { file_path: "long.txt" }),
    says("looked"),
    says("told"),
  );
  rig.write("long.txt", `${"a long line ".repeat(40)}\n`.repeat(200));
  {
    await using harness = await rig.open({ wishes: { autoApprove: true } });
    await turn(harness, "go");
  }
  const { spans, problems } = rig.receiver;
  expect(problems).toEqual([]);
  const agents = spans.filter(({ name }) => name.startsWith("invoke_agent "));
  expect(agents.map(({ name, attributes }) => [name, attributes["gen_ai.agent.name"]])).toEqual([
    ["invoke_agent general", "general"],
    ["invoke_agent cinch", "cinch"],
  ]);
  const chats = spans.filter(({ name }) => name.startsWith("chat "));
  const part = (name: string, at: number) => JSON.parse(String(chats[at]?.attributes[name]));
  expect(part("gen_ai.input.messages", 0)).toEqual([
    { role: "user", parts: [{ type: "text", content: "go" }] },
  ]);
  expect(part("gen_ai.system_instructions", 0)[0]).toEqual({ type: "text", content: expect.any(String) });
  expect(part("gen_ai.output.messages", 1)).toEqual([
    {
      role: "assistant",
      parts: [{ type: "tool_call", name: "Read", arguments: { file_path: "long.txt" } }],
      finish_reason: "tool_call",
    },
  ]);
  const [, read] = part("gen_ai.input.messages", 2);
  expect(read).toMatchObject({ role: "tool", parts: [{ type: "tool_call_response" }] });
  expect(read.parts[0].response.length).toBeWithin(30_000, CONTENT_CHARACTERS + 2);
});

test("[OBS-01] it is off unless config.toml says otherwise, whatever the environment names, and then nothing is sent", async () => {
  await using rig = openRig(() => "", says("one"), says("two"));
  const environment = { ...rig.options().wishes.environment, OTEL_EXPORTER_OTLP_ENDPOINT: rig.receiver.url };
  {
    await using harness = await rig.open({ wishes: { environment } });
    await turn(harness, "1");
  }
  expect(rig.receiver.spans).toEqual([]);
  rig.config(
    `${readFileSync(join(rig.root, "config/config.toml"), "utf8")}[telemetry]\notlp = "environment"\n`,
  );
  {
    await using harness = await rig.open({ wishes: { environment } });
    await turn(harness, "2");
  }
  expect(tree(rig.receiver)).toEqual(["session", "  invoke_agent cinch", "    chat test-1"]);
});

test("[OBS-01 REL-02] a collector that is not there fails no run", async () => {
  await using rig = openRig(() => '[telemetry]\notlp = "http://127.0.0.1:1"\n', says("one"));
  await using harness = await rig.open();
  expect((await turn(harness, "1")).at(-1)?.payload).toMatchObject({ reason: "complete" });
});

test("[OBS-01] a request that fails is a span that failed, with the reason and not the text", async () => {
  await using rig = openRig(
    on,
    fails({ kind: "status", status: 400, body: { error: { message: "private words" } } }),
  );
  {
    await using harness = await rig.open();
    await turn(harness, "1");
  }
  expect(rig.receiver.problems).toEqual([]);
  const chat = rig.receiver.spans.find(({ name }) => name === "chat test-1");
  expect(chat).toMatchObject({ failed: true, attributes: { "error.type": expect.any(String) } });
  expect(JSON.stringify(rig.receiver.spans)).not.toContain("private words");
});

test("[OBS-01 ENG-10] what a sub-agent does stands in the call that it answers", async () => {
  await using rig = openRig(
    on,
    calls("Agent", { prompt: "count the files" }),
    calls("Ls", { path: "." }),
    says("there is one"),
    says("one file"),
  );
  rig.write("a.txt", "a");
  {
    await using harness = await rig.open();
    await using watching = await follow(harness);
    await watching.say("how many files are there?");
    await watching.turns(2); // the sub-agent's, and the one that it works for
  }
  expect(rig.receiver.problems).toEqual([]);
  expect(tree(rig.receiver)).toEqual([
    "session",
    "  invoke_agent cinch",
    "    chat test-1",
    "    execute_tool Agent",
    "      invoke_agent general",
    "        chat test-1",
    "        execute_tool Ls",
    "        chat test-1",
    "    chat test-1",
  ]);
});
