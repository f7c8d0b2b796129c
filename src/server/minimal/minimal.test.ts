import { expect, test } from "bun:test";
import { framesOf, openControlRig, refusalOf, StreamReader } from "../../../test/support/control-rig.ts";
import { fakeTool, ok } from "../../../test/support/rig.ts";
import { calls, hangs, says } from "../../../test/support/scripted-provider.ts";
import { MINIMAL_HEARTBEAT_MS } from "./minimal.ts";

type Told = { readonly type: string; readonly timestamp: number; readonly [key: string]: unknown };

function told(text: string): readonly Told[] {
  return framesOf(text).map(({ data = "" }) => JSON.parse(data) as Told);
}

test("[LIB-06 LIB-09] a prompt, its tool calls and its answer are sent as plain events with Unix seconds", async () => {
  const touch = fakeTool("Touch", () => ok("touched"));
  await using control = await openControlRig({
    script: [calls({ name: "Touch", input: { path: "a" } }), says("done")],
    tools: [touch],
  });
  const reader = new StreamReader(await control.ask("/events"));
  expect(await reader.until((got) => got !== "")).toBe(": connected\n\n");
  const sent = await control.ask("/prompt", { json: { content: "go" } });
  expect([sent.status, await sent.json()]).toEqual([202, { status: "accepted" }]);
  await reader.until((got) => got.includes('"idle"'));
  const timestamp = Math.floor(control.rig.world.clock.now() / 1_000);
  const id = (await control.rig.until("ToolCallStarted")).payload.callId;
  expect<unknown>(told(reader.text)).toEqual(
    [
      { type: "user", content: "go" },
      { type: "status", state: "thinking", message: "the model is asked" },
      { type: "tool_call", id, name: "Touch", input: { path: "a" } },
      { type: "status", state: "running tool", message: "Touch" },
      { type: "tool_result", id, name: "Touch", result: "touched", isError: false },
      { type: "status", state: "thinking", message: "the model is asked" },
      { type: "text", content: "done" },
      { type: "status", state: "idle", message: "complete" },
    ].map((each) => ({ ...each, timestamp })),
  );
  await reader.leave();
});

test("[LIB-06] a cancel stops the turn; a second prompt and an empty one are refused", async () => {
  await using control = await openControlRig({ script: [hangs("on it ")] });
  await control.ask("/prompt", { json: { content: "go" } });
  await control.rig.until("TextDelta");
  expect(await refusalOf(await control.ask("/prompt", { json: { content: "go" } }))).toEqual([
    409,
    "TurnInProgress",
  ]);
  for (const json of [{}, { content: "" }, { content: " \n" }, { content: 7 }, []])
    expect(await refusalOf(await control.ask("/prompt", { json }))).toEqual([400, "InvalidBody"]);
  const cancelled = await control.ask("/cancel", { json: {} });
  expect([cancelled.status, await cancelled.json()]).toEqual([202, { status: "cancelled" }]);
  expect((await control.rig.until("TurnEnded")).payload.reason).toBe("cancelled");
});

test("[LIB-06] an answer in pieces is one text, and as many as came with ?deltas=true", async () => {
  await using control = await openControlRig({ script: [says("I will look .")] });
  const [whole, deltas] = [
    new StreamReader(await control.ask("/events")),
    new StreamReader(await control.ask("/events?deltas=true")),
  ];
  for (const reader of [whole, deltas]) await reader.until((got) => got !== "");
  await control.ask("/prompt", { json: { content: "go" } });
  for (const reader of [whole, deltas]) await reader.until((got) => got.includes("complete"));
  const texts = ({ text }: StreamReader) =>
    told(text).flatMap(({ type, content }) => (type === "text" ? [content] : []));
  expect(texts(whole)).toEqual(["I will look ."]);
  expect(texts(deltas).join("")).toBe("I will look .");
  expect(await refusalOf(await control.ask("/events?deltas=yes"))).toEqual([400, "InvalidPath"]);
  for (const reader of [whole, deltas]) await reader.leave();
});

test("[LIB-06] a cancel takes no body, and no type of one", async () => {
  await using control = await openControlRig({ script: [] });
  const head = `POST /cancel HTTP/1.1\r\nHost: 127.0.0.1:${control.port}\r\nX-Harness-Token: ${control.token}\r\n`;
  for (const rest of ["\r\n", "Content-Length: 0\r\n\r\n"]) {
    const answer = await control.raw(`${head}${rest}`, (got) => got.includes("cancelled"));
    expect(answer).toStartWith("HTTP/1.1 202 ");
  }
});

test("[LIB-06] a stream on which nothing happens has a heartbeat every 30 s", async () => {
  await using control = await openControlRig({ script: [] });
  const reader = new StreamReader(await control.ask("/events"));
  await reader.until((got) => got !== "");
  await control.rig.world.clock.advance(MINIMAL_HEARTBEAT_MS - 1);
  expect(reader.text).toBe(": connected\n\n");
  await control.rig.world.clock.advance(1);
  expect(await reader.until((got) => got.includes("heartbeat"))).toBe(": connected\n\n: heartbeat\n\n");
  await reader.leave();
});

test("[LIB-06 AUTH-02] the minimal server takes the same tokens, hosts and origins as everything else", async () => {
  await using control = await openControlRig({ script: [] });
  const prompt = { json: { content: "go" } };
  expect(await refusalOf(await control.ask("/events", { token: null }))).toEqual([401, "TokenMissing"]);
  expect(await refusalOf(await control.ask("/prompt", { ...prompt, token: "x.y" }))).toEqual([
    401,
    "TokenInvalid",
  ]);
  const headers = { origin: "https://evil.example" };
  expect(await refusalOf(await control.ask("/prompt", { ...prompt, headers }))).toEqual([
    403,
    "InvalidOrigin",
  ]);
  const bound = control.mint({ sessions: [] });
  expect(await refusalOf(await control.ask("/prompt", { ...prompt, token: bound }))).toEqual([
    403,
    "Forbidden",
  ]);
  expect(await refusalOf(await control.ask("/events", { token: bound }))).toEqual([403, "Forbidden"]);
});
