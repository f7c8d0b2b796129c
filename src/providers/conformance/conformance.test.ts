import { expect, test } from "bun:test";
import { ulidSource } from "../../base/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelEvent, ModelRequest } from "../provider.ts";
import { conformanceProvider } from "./conformance.ts";
import { COUNT_MAX, cuedTurn } from "./cue.ts";

const { signal } = new AbortController();

function asked(...messages: readonly Message[]): ModelRequest {
  const cache = { prefix: false, messages: [] };
  return { model: "cues", system: [], messages, tools: [], outputTokensMax: 100, cache };
}

function prompt(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

async function answered(...messages: readonly Message[]): Promise<readonly ModelEvent[]> {
  return await Array.fromAsync(conformanceProvider().chat(asked(...messages), signal));
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.kind === "text" ? event.text : "")).join("");
}

function callsOf(events: readonly ModelEvent[]) {
  return events.flatMap((event) =>
    event.kind === "block" && event.block.type === "tool_use" ? [event.block] : [],
  );
}

const CALL_ID = ulidSource(
  () => 0,
  (count) => new Uint8Array(count),
).next("call");

function result(isError: boolean): readonly Message[] {
  return [
    { role: "assistant", content: [{ type: "tool_use", id: CALL_ID, name: "Ls", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: CALL_ID, content: [], is_error: isError }],
    },
  ];
}

test("[CTL-13] each cue word of a prompt has the answer that is published for it", async () => {
  const texts = {
    "cue:say one  two": "one  two",
    "cue:say": "said",
    "  cue:say padded \n": "padded",
    "cue:pieces 4": "1 2 3 4 ",
    "cue:pieces x": "1 ",
    "cue:think hm": "thought",
    "hello there": "no cue",
    "cue:unheard": "no cue",
    "say cue:say x": "no cue",
  };
  for (const [cue, text] of Object.entries(texts)) {
    const events = await answered(prompt(cue));
    expect([cue, textOf(events)]).toEqual([cue, text]);
    expect(events.at(-1)).toEqual({ kind: "finish", reason: "stop", raw: "stop" });
  }
  expect(textOf(await answered(prompt("cue:lines")))).toContain("\n\nevent: TurnEnded\n");
  expect(textOf(await answered(prompt("cue:secret")))).toMatch(/\bghp_[A-Za-z0-9]{36}\b/);
});

test("[CTL-13] the cue call calls once, loop with every new answer, and ask the given number of times", async () => {
  expect(callsOf(await answered(prompt("cue:call")))).toMatchObject([{ name: "TodoWrite" }]);
  expect(textOf(await answered(prompt("cue:call"), ...result(false)))).toBe("called");
  const looped = [await answered(prompt("cue:loop")), await answered(prompt("cue:loop"), ...result(false))];
  const inputs = looped.map((events) => JSON.stringify(callsOf(events)[0]?.input));
  expect(new Set(inputs).size).toBe(2);
  const two = prompt("cue:ask 2");
  expect(callsOf(await answered(two, ...result(false)))).toMatchObject([{ name: "Ls" }]);
  const ended = await answered(two, ...result(false), ...result(true));
  expect([callsOf(ended), textOf(ended)]).toEqual([[], "allowed denied"]);
});

test("[CTL-13] of two prompts that are one message the last counts", async () => {
  const [one, two] = [prompt("cue:fail"), prompt("cue:say on")];
  expect(textOf(await answered({ role: "user", content: [...one.content, ...two.content] }))).toBe("on");
});

test("[CTL-13] the cue recall lists the cues before it, and a cue counts again in a later turn", async () => {
  const told = await answered(prompt("cue:say a"), prompt("cue:ask"), ...result(true), prompt("cue:recall"));
  expect(textOf(told)).toBe("cue:say a | cue:ask");
  expect(callsOf(await answered(prompt("cue:ask"), ...result(true), prompt("cue:ask")))).toHaveLength(1);
});

test("[CTL-13] the cue fail is no passing failure, and hold ends with its signal alone", async () => {
  await expect(answered(prompt("cue:fail"))).rejects.toMatchObject({
    reason: "ProviderRefused",
    transient: false,
  });
  const leave = new AbortController();
  const events = conformanceProvider()
    .chat(asked(prompt("cue:hold")), leave.signal)
    [Symbol.asyncIterator]();
  expect((await events.next()).value).toEqual({ kind: "text", index: 0, text: "holding" });
  const waiting = events.next();
  leave.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
});

test("[CTL-13] no cue asks for more than the limit", () => {
  expect(cuedTurn([prompt("cue:pieces 999999999")]).cue).toEqual({ kind: "pieces", count: COUNT_MAX });
  expect(cuedTurn([])).toEqual({ cue: { kind: "none" }, results: [] });
});
