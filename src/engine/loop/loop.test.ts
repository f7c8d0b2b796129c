import { expect, test } from "bun:test";
import { failed, fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import { calls, events, hangs, says } from "../../../test/support/scripted-provider.ts";
import { checkValid } from "../../../test/support/valid-history.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { ProviderError } from "../../providers/error.ts";
import { memorySessionStore } from "../../session/store/memory-store.ts";
import type { Batch, Durability, SessionStore } from "../../session/store/store.ts";

const read = fakeTool("Read", () => ok("the content"));
const broken = fakeTool("Broken", () => failed("it broke"));

function kinds(list: readonly Envelope[]): string[] {
  return list.map((event) => event.kind);
}

test("[ENG-01] [ENG-02] an answer without tool calls ends the turn as complete", async () => {
  await using rig = await openRig({ script: [says("all is well")] });
  const turn = await rig.send("how is it?");
  expect(turn).toMatchObject({ text: "all is well", reason: "complete" });
  expect(new Set(kinds(turn.events))).toEqual(
    new Set(["TurnStarted", "TextDelta", "TurnTiming", "TurnEnded"]),
  );
  expect(turn.events.at(-1)?.kind).toBe("TurnEnded");
});

test("[ENG-01] a tool's result goes back to the model, and the turn continues until it answers", async () => {
  await using rig = await openRig({
    script: [calls("let me look", { name: "Read" }), says("done")],
    tools: [read],
  });
  const turn = await rig.send("read it");
  expect(turn.results).toEqual([{ text: "the content", isError: false }]);
  expect(
    rig.provider.requests[1]?.messages.map((message) => [message.role, message.content.map((b) => b.type)]),
  ).toEqual([
    ["user", ["text"]],
    ["assistant", ["text", "tool_use"]],
    ["user", ["tool_result"]],
  ]);
  expect(turn.reason).toBe("complete");
});

test("[ENG-02] an explicit yield block ends the turn, and the reason says so", async () => {
  await using rig = await openRig({
    script: [
      events(
        { kind: "block", index: 0, block: { type: "yield", reason: "waiting" } },
        { kind: "finish", reason: "stop", raw: "yield" },
      ),
    ],
  });
  expect((await rig.send("go")).reason).toBe("yield");
});

test("[ENG-03] a failed tool is a result that the model sees, and does not end the turn", async () => {
  await using rig = await openRig({ script: [calls({ name: "Broken" }), says("I see")], tools: [broken] });
  const turn = await rig.send("go");
  expect(turn).toMatchObject({
    reason: "complete",
    text: "I see",
    results: [{ text: "it broke", isError: true }],
  });
});

test("[ENG-04] a failed call stops those after it, and each of them is answered in the history", async () => {
  await using rig = await openRig({
    script: [calls({ name: "Read" }, { name: "Broken" }, { name: "Read" }), says("sorry")],
    tools: [read, broken],
  });
  const turn = await rig.send("go");
  expect(kinds(turn.events).filter((kind) => kind === "ToolCallStarted")).toHaveLength(2);
  const answered = rig.provider.requests[1]?.messages.at(-1)?.content;
  expect(
    answered?.map((block) => block.type === "tool_result" && [block.is_error ?? false, block.content]),
  ).toEqual([
    [false, [{ type: "text", text: "<untrusted-tool-result>\nthe content\n</untrusted-tool-result>" }]],
    [true, [{ type: "text", text: "<untrusted-tool-result>\nit broke\n</untrusted-tool-result>" }]],
    [
      true,
      [
        {
          type: "text",
          text: "<untrusted-tool-result>\nnot executed: Broken failed before it\n</untrusted-tool-result>",
        },
      ],
    ],
  ]);
});

test("[ENG-05] reaching the turn limit is reported, and the last calls are answered without running", async () => {
  await using rig = await openRig({
    script: [calls({ name: "Read" }), calls({ name: "Read" }), says("after the limit")],
    tools: [read],
    roundsMax: 2,
  });
  const turn = await rig.send("go");
  expect(turn.reason).toBe("turn_limit");
  expect(turn.results).toHaveLength(1);
  expect(turn.events.find((event) => event.kind === "Error")?.payload).toMatchObject({
    reason: "TurnLimitReached",
    message: "The turn was ended at its limit of rounds (2). Send again to go on, or raise --max-turns.",
  });
  expect((await rig.send("go on")).text).toBe("after the limit");
});

test("[ENG-11] who reacts to TurnEnded at once can send the next input", async () => {
  await using rig = await openRig({ script: [says("one"), says("two")] });
  const { id: sessionId } = rig.session;
  const content = [{ type: "text" as const, text: "next" }];
  const stop = new AbortController();
  const chained = (async () => {
    for await (const event of rig.connection.subscribe(sessionId, { signal: stop.signal })) {
      if (event.kind === "TurnEnded")
        return await rig.connection.send({ kind: "SendInput", sessionId, content });
    }
    return undefined;
  })();
  await rig.send("first");
  expect(await chained).toEqual({});
  expect((await rig.until("TurnEnded", 2)).payload.reason).toBe("complete");
});

test("[ENG-12] a throw in the provider becomes an Error event, and the session continues", async () => {
  await using rig = await openRig({
    script: [events(new TypeError("undefined is not a provider")), says("still here")],
  });
  const turn = await rig.send("go");
  expect(turn.reason).toBe("error");
  expect(turn.events.find((event) => event.kind === "Error")?.payload).toMatchObject({
    reason: "InternalError",
  });
  expect((await rig.send("and now?")).text).toBe("still here");
});

test("[ENG-12] a throw in a tool middleware ends the turn, not the session, and no call is left open", async () => {
  await using rig = await openRig({
    script: [calls({ name: "Read" }), says("still here")],
    tools: [read],
    gate: () => [() => Promise.reject(new RangeError("a middleware is wrong"))],
  });
  const turn = await rig.send("go");
  expect(turn).toMatchObject({ reason: "error", results: [{ isError: true }] });
  expect((await rig.send("and now?")).text).toBe("still here");
  expect(rig.provider.requests[1]?.messages.at(-1)?.content.map(({ type }) => type)).toEqual([
    "tool_result",
    "text",
  ]);
});

test("[ENG-12] an unexpected exception of a tool is reported to the model, and the turn continues", async () => {
  const throws = fakeTool("Throws", () => Promise.reject(new SyntaxError("oops")));
  await using rig = await openRig({ script: [calls({ name: "Throws" }), says("noted")], tools: [throws] });
  expect(await rig.send("go")).toMatchObject({
    reason: "complete",
    results: [{ text: "internal error in Throws: oops", isError: true }],
  });
});

test("[ENG-15] an answer cut off at its limit is an Error and ends the turn as length", async () => {
  await using rig = await openRig({
    script: [
      events(
        { kind: "text", index: 0, text: "half a sent" },
        { kind: "block", index: 0, block: { type: "text", text: "half a sent" } },
        { kind: "finish", reason: "length", raw: "max_tokens" },
      ),
    ],
  });
  const turn = await rig.send("go");
  expect(turn.reason).toBe("length");
  expect(turn.events.find((event) => event.kind === "Error")?.payload).toMatchObject({
    reason: "OutputTruncated",
  });
});

test("[ENG-15] an answer of nothing is an Error and ends the turn as empty", async () => {
  await using rig = await openRig({ script: [events({ kind: "finish", reason: "stop", raw: "end_turn" })] });
  const turn = await rig.send("go");
  expect(turn.reason).toBe("empty");
  expect(turn.events.find((event) => event.kind === "Error")?.payload).toMatchObject({
    reason: "EmptyResponse",
  });
});

test("[ENG-17] TurnTiming shows where the time of a turn went", async () => {
  const slow = fakeTool("Slow", async (_input, context) => {
    await context.world.clock.sleep(250, context.signal);
    return ok("at last");
  });
  await using rig = await openRig({ script: [calls({ name: "Slow" }), says("done")], tools: [slow] });
  const sent = rig.send("go");
  await rig.until("ToolCallStarted");
  await rig.world.clock.advance(250);
  const timing = (await sent).events.find((event) => event.kind === "TurnTiming")?.payload;
  expect(Object.keys(timing?.components ?? {}).sort()).toEqual([
    "log_write",
    "provider_first_byte",
    "provider_total",
    "request_middleware",
  ]);
  expect(timing?.toolCalls).toMatchObject([{ tool: "Slow", duration: 250_000_000 }]);
});

test("[ENG-18 R01] after a stream that broke off, what had arrived is kept and the history is valid", async () => {
  const cut = new ProviderError("StreamInterrupted", { provider: "scripted", detail: "the socket closed" });
  await using rig = await openRig({
    script: [
      events(
        { kind: "text", index: 0, text: "I was about to" },
        { kind: "block", index: 1, block: { type: "tool_use", name: "Read", input: {} } },
        cut,
      ),
      says("again"),
    ],
    tools: [read],
  });
  expect((await rig.send("go")).reason).toBe("error");
  await rig.send("go on");
  const [, assistant, answered] = rig.provider.requests[1]?.messages ?? [];
  expect(assistant?.content.map((block) => block.type)).toEqual(["text", "tool_use"]);
  expect(answered?.content[0]).toMatchObject({ type: "tool_result", is_error: true });
});

test("[ENG-09] [ENG-18] a cancelled turn names who cancelled it, and the next one continues from a valid history", async () => {
  await using rig = await openRig({ script: [hangs("let me think"), says("hello again")] });
  const { id: sessionId } = rig.session;
  const sent = rig.send("go");
  await rig.until("TextDelta");
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  const turn = await sent;
  expect(turn.reason).toBe("cancelled");
  expect(turn.events.find((event) => event.kind === "Cancelled")?.payload).toMatchObject({
    by: rig.connection.clientId,
  });
  expect((await rig.send("again")).text).toBe("hello again");
  expect(rig.provider.requests[1]?.messages.map((message) => message.role)).toEqual([
    "user",
    "assistant",
    "user",
  ]);
});

test("[ENG-09] [ENG-18 R01] a call cancelled while it runs is answered, and so are those behind it", async () => {
  const waits = fakeTool("Waits", (_input, { signal }) => {
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  await using rig = await openRig({
    script: [calls({ name: "Waits" }, { name: "Read" }), says("fine")],
    tools: [waits, read],
  });
  const sent = rig.send("go");
  await rig.until("ToolCallStarted");
  await rig.connection.send({ kind: "CancelTurn", sessionId: rig.session.id });
  expect((await sent).results).toMatchObject([{ isError: true }]);
  await rig.send("go on");
  const answered = rig.provider.requests[1]?.messages[2]?.content ?? [];
  expect(answered.map((block) => block.type === "tool_result" && block.is_error)).toEqual([
    true,
    true,
    false,
  ]);
});

test("[ENG-09] a cancelled call reports if it ran: at a question before it, it did not", async () => {
  const told = async (stops: "before it" | "in it") => {
    const wait = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
      );
    const reached = Promise.withResolvers<void>();
    const waits = fakeTool("Waits", (_input, { signal }) => {
      reached.resolve();
      return wait(signal);
    });
    await using rig = await openRig({
      script: [calls({ name: "Waits" }), says("fine")],
      tools: [waits],
      ...(stops === "in it" ? {} : { gate: () => [(_call, { signal }) => wait(signal)] }),
    });
    const sent = rig.send("go");
    await rig.until("ToolCallStarted");
    if (stops === "in it") await reached.promise;
    await rig.connection.send({ kind: "CancelTurn", sessionId: rig.session.id });
    return JSON.stringify((await sent).results);
  };
  expect(await told("before it")).toContain("; it did not run");
  expect(await told("in it")).toContain("; it may have taken effect in part");
});

test("[ENG-19] a pause of the provider sends the same conversation again", async () => {
  await using rig = await openRig({
    script: [
      events(
        {
          kind: "block",
          index: 0,
          block: { type: "opaque", family: "scripted", data: { type: "server_tool_use" } },
        },
        { kind: "finish", reason: "paused", raw: "pause_turn" },
      ),
      says("found it"),
    ],
  });
  const turn = await rig.send("search");
  expect(turn).toMatchObject({ text: "found it", reason: "complete" });
  expect(rig.provider.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
});

test("[CTL-02] input during a turn is refused with who started it and when", async () => {
  await using rig = await openRig({ script: [hangs("…")] });
  const { id: sessionId } = rig.session;
  const sent = rig.send("go");
  await rig.until("TextDelta");
  const again = rig.connection.send({
    kind: "SendInput",
    sessionId,
    content: [{ type: "text", text: "me too" }],
  });
  await expect(again).rejects.toMatchObject({
    reason: "TurnInProgress",
    fields: { originator: rig.connection.clientId, ts: "2025-06-15T15:06:40.000Z" },
  });
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  await sent;
});

test("[ENG-18 REL-02] a log that fails in the moment in which a call ends costs no request that lacks its result", async () => {
  const problems: string[] = [];
  for (let hops = 0; hops <= 40; hops++) {
    const [writing, failing] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    const store = failingStore(async ({ events = [] }) => {
      if (!events.some(({ kind }) => kind === "ToolCallProgress")) return;
      writing.resolve();
      await failing.promise;
    });
    const slow = fakeTool("Slow", async (_input, { progress }) => {
      progress("half");
      await writing.promise;
      void failAfter(hops);
      return ok("whole");
    });
    async function failAfter(count: number): Promise<void> {
      for (let hop = 0; hop < count; hop++) await undefined;
      failing.reject(
        new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "the disk is full" }),
      );
    }
    const script = [calls({ name: "Slow" }), says("done")];
    const rig = await openRig({ script, tools: [slow], store, follows: false });
    const content = [{ type: "text" as const, text: "go" }];
    await rig.connection.send({ kind: "SendInput", sessionId: rig.session.id, content });
    await rig.session.idle();
    for (const { messages } of rig.provider.requests) problems.push(...checkValid(messages));
  }
  expect(problems).toEqual([]);
});

/** A store in memory; what `before` throws a write throws. */
function failingStore(before: (batch: Batch) => Promise<void>): SessionStore {
  const inner = memorySessionStore({ isAlive: () => true });
  return {
    ...inner,
    async create(...args: Parameters<SessionStore["create"]>) {
      const writer = await inner.create(...args);
      return {
        logId: writer.logId,
        epoch: writer.epoch,
        lastEvent: writer.lastEvent,
        async append(batch: Batch, durability: Durability) {
          await before(batch);
          await writer.append(batch, durability);
        },
        [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
      };
    },
  };
}
