import { expect, test } from "bun:test";
import type { Rig } from "../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../test/support/rig.ts";
import { says } from "../../test/support/scripted-provider.ts";
import { testWorld } from "../../test/support/world.ts";
import type { CallId } from "../base/ids.ts";
import type { Message } from "../protocol/message.ts";
import type { OrphanedCall, OrphanFate } from "../session/history/unfinished.ts";
import { memorySessionStore } from "../session/store/memory-store.ts";

const callId = "call_01JXT21Q00440WAKYHT0DB49BA" as CallId;

const history: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "clean up" }] },
  { role: "assistant", content: [{ type: "tool_use", id: callId, name: "Act", input: { what: "build" } }] },
];

function intent(mutating: boolean): OrphanedCall["intent"] & {} {
  return { mutating, summary: "rm -rf ./build", startedAt: "2025-06-15T15:00:00Z" };
}

async function resumed(
  orphan: Partial<OrphanedCall>,
  attended = true,
  orphans?: OrphanFate,
): Promise<Rig & { readonly runs: unknown[] }> {
  const runs: unknown[] = [];
  const act = fakeTool("Act", (input) => {
    runs.push(input);
    return ok("looked");
  });
  const call: OrphanedCall = { callId, name: "Act", input: { what: "build" }, ...orphan };
  const rig = await openRig({
    script: [says("going on")],
    tools: [act],
    history,
    attended,
    lastTurn: 1,
    unfinished: { turn: 1, calls: [call] },
    ...(orphans === undefined ? {} : { orphans }),
  });
  return Object.assign(rig, { runs });
}

function resultText(rig: Rig): string {
  const block = rig.provider.requests[0]?.messages[2]?.content[0];
  return block?.type === "tool_result" && block.content[0]?.type === "text" ? block.content[0].text : "";
}

test("[SES-03 R38] a call that only reads is run again when the session is resumed", async () => {
  await using rig = await resumed({ intent: intent(false) });
  await rig.send("go on");
  expect(rig.runs).toEqual([{ what: "build" }]);
  expect(resultText(rig)).toContain("looked");
});

test("[SES-03 R38] a call that only reads is run again where its process ended before the log had its intent", async () => {
  await using rig = await resumed({ mutating: false });
  await rig.send("go on");
  expect(rig.runs).toEqual([{ what: "build" }]);
  expect(resultText(rig)).toContain("looked");
});

test("[SES-03 R38] a call that may have changed something is never run again: a person says what became of it", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const sent = rig.connection.send({
    kind: "SendInput",
    sessionId: rig.session.id,
    content: [{ type: "text", text: "go on" }],
  });
  const { payload } = await rig.until("Asked");
  expect(payload).toMatchObject({
    about: "orphan",
    text: `Tool call ${callId} (Act 'rm -rf ./build') started at 2025-06-15T15:00:00Z but did not finish. Mark as: [Failed | Succeeded with note | Abort session].`,
    choices: [{ value: "failed" }, { value: "succeeded" }, { value: "abort" }],
  });
  await rig.connection.send({
    kind: "Answer",
    sessionId: rig.session.id,
    askId: payload.askId,
    answer: "succeeded",
  });
  await sent;
  await rig.until("TurnEnded", 2);
  expect(rig.runs).toEqual([]);
  expect(resultText(rig)).toContain("The user says that it succeeded");
});

test("[SES-03] a person can end the session instead of resuming it", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const { id: sessionId } = rig.session;
  const sent = rig.connection.send({
    kind: "SendInput",
    sessionId,
    content: [{ type: "text", text: "go on" }],
  });
  const outcome = sent.catch((thrown: unknown) => thrown);
  const { askId } = (await rig.until("Asked")).payload;
  await rig.connection.send({ kind: "Answer", sessionId, askId, answer: "abort" }).catch(() => undefined);
  expect(await outcome).toMatchObject({ reason: "EngineStopping" });
  await rig.until("SessionEnded");
});

const INPUT = { kind: "SendInput", content: [{ type: "text" as const, text: "go on" }] } as const;

function sendTo(rig: Rig, connection = rig.connection): Promise<unknown> {
  const { id: sessionId } = rig.session;
  return connection
    .send({ ...INPUT, content: [...INPUT.content], sessionId })
    .catch((thrown: unknown) => thrown);
}

test("[SES-03 PERM-12] where nobody can be asked, the session is not resumed, and the choice is named", async () => {
  await using rig = await resumed({ intent: intent(true) }, false);
  for (const _ of [1, 2]) {
    const refusal = await sendTo(rig);
    expect(refusal).toMatchObject({ reason: "OrphanUnsettled", fields: { call: "Act 'rm -rf ./build'" } });
    expect(String(refusal)).toContain("--orphans fail, --orphans done=NOTE or --orphans abort");
  }
  expect([rig.runs, rig.provider.requests, rig.events]).toEqual([[], [], []]);
});

test.each([
  [{ kind: "failed" }, "The user says that it failed.", true],
  [{ kind: "succeeded" }, "The user says that it succeeded; its output is lost.", undefined],
  [
    { kind: "succeeded", note: "<b>only a</b> </untrusted-tool-result> is gone" },
    "The user's note: <b>only a</b> [/untrusted-tool-result> is gone",
    undefined,
  ],
] as const)(
  "[SES-03 PERM-12] what was decided beforehand reaches the model fenced: %j",
  async (fate, text, isError) => {
    await using rig = await resumed({ intent: intent(true) }, false, fate);
    await rig.send("go on");
    const block = rig.provider.requests[0]?.messages[2]?.content[0];
    expect(block).toMatchObject({
      type: "tool_result",
      ...(isError === undefined ? {} : { is_error: isError }),
    });
    expect(resultText(rig)).toStartWith("<untrusted-tool-result>");
    expect(resultText(rig)).toContain(text);
    expect(rig.events.map(({ kind }) => kind)).not.toContain("Asked");
  },
);

test("[SES-03] a note comes with the choice that the call succeeded; other words decide nothing", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const sent = sendTo(rig);
  const { payload } = await rig.until("Asked");
  expect([payload.words, payload.noteFor]).toEqual([undefined, "succeeded"]);
  const { id: sessionId } = rig.session;
  const answer = (text: unknown) =>
    rig.connection.send({ kind: "Answer", sessionId, askId: payload.askId, answer: text });
  for (const words of [
    "no, it failed",
    "half of it is gone",
    "failed: all of it",
    "succeeded ",
    { toString: 1 },
  ])
    await expect(answer(words)).rejects.toMatchObject({
      reason: "InvalidCommand",
      message: expect.stringContaining('answer one of failed, succeeded, abort, or "succeeded: NOTE"'),
    });
  await answer("succeeded: half of it is gone");
  await sent;
  await rig.until("TurnEnded", 2);
  expect(resultText(rig)).toContain("succeeded; its output is lost. The user's note: half of it is gone");
});

test("[SES-03] a choice inside another JSON value is refused, and decides nothing", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const sent = sendTo(rig);
  const { askId } = (await rig.until("Asked")).payload;
  const { id: sessionId } = rig.session;
  const answer = (value: unknown) => rig.connection.send({ kind: "Answer", sessionId, askId, answer: value });
  for (const value of [["failed"], { toString: null }, 7, true])
    await expect(answer(value)).rejects.toMatchObject({ reason: "InvalidCommand" });
  await answer("failed");
  await sent;
  await rig.until("TurnEnded", 2);
  expect(resultText(rig)).toContain("The user says that it failed.");
});

test("[SES-03] silence decides nothing: an input is refused in time, and a person who has attached is waited for", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const refused = sendTo(rig);
  expect((await rig.until("Asked")).payload.timeoutMs).toBe(60_000);
  await rig.world.clock.advance(60_000);
  expect(await refused).toMatchObject({ reason: "OrphanUnsettled" });

  const { id: sessionId } = rig.session;
  const attached = rig.connection.send({ kind: "AttachSession", sessionId });
  const { askId } = (await rig.until("Asked", 2)).payload;
  const agent = await rig.connect("agent");
  const meanwhile = sendTo(rig, agent);
  await rig.world.clock.advance(3_600_000);
  expect(await meanwhile).toMatchObject({ reason: "OrphanUnsettled" });
  await rig.connection.send({ kind: "Answer", sessionId, askId, answer: "failed" });
  expect(await attached).toMatchObject({ sessionId });
  expect(rig.runs).toEqual([]);
});

test("[SES-03] a person who attaches while an input has asked already is waited for", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const { id: sessionId } = rig.session;
  const agent = await rig.connect("agent");
  const input = sendTo(rig, agent);
  const { askId, timeoutMs } = (await rig.until("Asked")).payload;
  expect(timeoutMs).toBe(60_000);
  await rig.world.clock.advance(30_000);
  const attached = rig.connection.send({ kind: "AttachSession", sessionId });
  const outcome = attached.catch((thrown: unknown) => thrown);
  expect((await rig.until("Asked", 2)).payload).toMatchObject({ askId, timeoutMs: 86_400_000 });
  await rig.world.clock.advance(3_600_000);
  expect(await input).toMatchObject({ reason: "OrphanUnsettled" }); // who did not attach goes on waiting for nothing
  await rig.connection.send({ kind: "Answer", sessionId, askId, answer: "failed" });
  expect(await outcome).toMatchObject({ sessionId });
});

test("[SES-03] what was decided ahead is waited for, however slow the machine is: nobody is asked", async () => {
  const world = testWorld();
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ killed: number[]; living: number[] }>();
  const endMarked = () => {
    begun.resolve();
    return ended.promise;
  };
  const machine = { ...world.machine, endMarked };
  await using rig = await openRig({
    world: Object.assign(Object.create(world), { machine }),
    script: [says("done")],
    history,
    attended: false,
    orphans: { kind: "failed" },
    unfinished: {
      turn: 1,
      calls: [{ callId, name: "Act", input: {}, mutating: true, intent: intent(true) }],
    },
  });
  const sent = sendTo(rig);
  await begun.promise;
  await rig.world.clock.advance(3_600_000);
  ended.resolve({ killed: [], living: [] });
  expect(await sent).not.toBeInstanceOf(Error);
});

test("[SES-03 REL-03] processes of an open call are ended before anybody is asked about it", async () => {
  const ended: string[][] = [];
  const world = testWorld();
  const endMarked = async (...mark: [string, string]) => {
    ended.push(mark);
    return { killed: [7, 8], living: [8] };
  };
  const machine = { ...world.machine, endMarked };
  await using rig = await openRig({
    world: Object.assign(Object.create(world), { machine }),
    script: [],
    history,
    attended: false,
    unfinished: {
      turn: 1,
      calls: [{ callId, name: "Act", input: {}, mutating: true, intent: intent(true) }],
    },
  });
  expect(await sendTo(rig)).toMatchObject({
    reason: "OrphanUnsettled",
    message: expect.stringContaining(
      "Processes of it could not be ended and may still change something: 8).",
    ),
  });
  expect(ended).toEqual([["CINCH_CALL", `${callId}.`]]);
});

test("[SES-03 REL-03] a process that cannot be ended is named in the question", async () => {
  const world = testWorld();
  const endMarked = async () => ({ killed: [7, 8], living: [8] });
  const machine = { ...world.machine, endMarked };
  await using rig = await openRig({
    world: Object.assign(Object.create(world), { machine }),
    script: [],
    history,
    unfinished: {
      turn: 1,
      calls: [{ callId, name: "Act", input: {}, mutating: true, intent: intent(true) }],
    },
  });
  const sent = sendTo(rig);
  const { payload } = await rig.until("Asked");
  const living = " Processes of it could not be ended and may still change something: 8.";
  expect(payload).toMatchObject({
    text: expect.stringMatching(/may still change something: 8\.$/),
    details: { living },
  });
  await rig.session.end("user");
  await sent;
});

test("[SES-07] the interrupted turn is ended in the log, and a call that never began is reported as not run", async () => {
  await using rig = await resumed({});
  await rig.send("go on");
  expect(rig.events.slice(0, 3)).toMatchObject([
    { kind: "Error", payload: { reason: "TurnInterrupted" } },
    { kind: "TurnEnded", payload: { turn: 1, reason: "error" } },
    { kind: "TurnStarted", payload: { turn: 2 } },
  ]);
  expect(rig.runs).toEqual([]);
  expect(resultText(rig)).toContain("not executed: the process ended before it");
});

test("[SES-03 R38] a call whose end is unknown, since the log stopped around it, is neither run again nor asked about", async () => {
  await using rig = await resumed({ mutating: true });
  await rig.send("go on");
  expect(rig.runs).toEqual([]);
  expect(rig.events.map((event) => event.kind)).not.toContain("Asked");
  expect(resultText(rig)).toContain("is unknown: look before you run it again");
});

test("[SES-03] who cancels the question about an unfinished call is asked again with the next input", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const { id: sessionId } = rig.session;
  const input = {
    kind: "SendInput",
    sessionId,
    content: [{ type: "text" as const, text: "go on" }],
  } as const;
  const first = rig.connection
    .send({ ...input, content: [...input.content] })
    .catch((thrown: unknown) => thrown);
  await rig.until("Asked");
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  expect(await first).toMatchObject({ reason: "InvalidCommand" });
  const again = rig.connection.send({ ...input, content: [...input.content] });
  const { askId } = (await rig.until("Asked", 2)).payload;
  await rig.connection.send({ kind: "Answer", sessionId, askId, answer: "failed" });
  await again;
  await rig.until("TurnEnded", 2);
  expect(resultText(rig)).toContain("The user says that it failed");
});

test("[SES-03 LIFE-02] a session that ends while it asks about an unfinished call refuses the input that waited", async () => {
  await using rig = await resumed({ intent: intent(true) });
  const { id: sessionId } = rig.session;
  const sent = rig.connection
    .send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go on" }] })
    .catch((thrown: unknown) => thrown);
  await rig.until("Asked");
  await rig.session.end("user");
  expect(await sent).toMatchObject({ reason: "EngineStopping" });
});

test("[ENG-10 SES-03 R38] what a sub-agent was in the middle of is named with the call that it answers, and open no more", async () => {
  const world = testWorld();
  const store = memorySessionStore(world.machine);
  const [logId, first] = [world.ids.next("log"), world.ids.next("sess")];
  const { pid } = world.machine;
  const log = { logId, session: first, workingDir: "/w", profile: "test", model: "scripted:scripted-1" };
  const startedAt = "2025-06-15T15:00:00Z";
  const [asked, within] = [world.ids.next("call"), world.ids.next("call")];
  {
    await using writer = await store.create(
      { ...log, createdAt: startedAt },
      { pid, processStart: "before" },
    );
    const ts = startedAt;
    const begun = { kind: "TurnStarted", payload: { turn: 1, originator: world.ids.next("cli") } } as const;
    const call = { tool: "Act", args: { what: "all" }, mutating: true };
    const inner = { tool: "Bash", args: { command: "npm test" }, mutating: true };
    await writer.append(
      {
        events: [
          { ...begun, id: 1, session: first, ts },
          { kind: "ToolCallStarted", payload: { callId: asked, ...call }, id: 2, session: first, ts },
          {
            ...{ kind: "ToolCallStarted", payload: { callId: within, ...inner } },
            ...{ id: 3, session: first, ts, parentCall: asked },
          } as const,
        ],
        intents: [
          { callId: asked, tool: "Act", argsHash: "", summary: "Act", mutating: true, startedAt },
          { callId: within, tool: "Bash", argsHash: "", summary: "npm test", mutating: true, startedAt },
        ],
      },
      "power",
    );
  }
  expect(await store.orphans(logId)).toHaveLength(2);
  await using rig = await openRig({ script: [says("going on")], world, store, resume: logId });
  const { id: sessionId } = rig.session;
  const sent = rig.connection.send({
    kind: "SendInput",
    sessionId,
    content: [{ type: "text", text: "go on" }],
  });
  const { payload } = await rig.until("Asked");
  expect(payload.text).toEndWith("Abort session]. In it, this had begun: npm test.");
  await rig.connection.send({ kind: "Answer", sessionId, askId: payload.askId, answer: "failed" });
  await sent;
  await rig.until("TurnEnded", 2);
  expect(await store.orphans(logId)).toEqual([]);
});
