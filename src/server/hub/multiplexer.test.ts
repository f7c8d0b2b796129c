import { expect, test } from "bun:test";
import type { Rig, RigOptions } from "../../../test/support/rig.ts";
import { failed, fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import { calls, hangs, says } from "../../../test/support/scripted-provider.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import type { Questions } from "../../session/questions/questions.ts";
import type { PermissionOutcome } from "../../session/questions.ts";
import { PERMISSION_TIMEOUT_MS } from "../../session/questions.ts";
import type { ToolMiddleware } from "../../tools/middleware.ts";
import { connectInproc } from "./inproc.ts";
import { Multiplexer } from "./multiplexer.ts";

const touch = fakeTool("Touch", () => ok("touched"), { mutating: true });

/** A gate that asks about every call and lets it through when the answer is yes. */
function asking(
  answers: PermissionOutcome[],
  more: { readonly onceOnly?: boolean } = {},
): (questions: Questions) => readonly [ToolMiddleware] {
  return (questions) => [
    async (call, context, next) => {
      const { originator } = context;
      const question = { callId: call.id, tool: call.name, args: call.input, originator, ...more };
      const answer = await questions.askPermission({ ...question, summary: call.name }, context.signal);
      answers.push(answer);
      const allowed = answer.kind === "answered" && answer.decision === "allow";
      return allowed ? await next(call, context) : failed(`refused: ${answer.kind}`);
    },
  ];
}

async function askingRig(answers: PermissionOutcome[], options: Partial<RigOptions> = {}): Promise<Rig> {
  const script = [calls({ name: "Touch" }), says("done")];
  return await openRig({ script, tools: [touch], gate: asking(answers), ...options });
}

test("[CTL-04] [CTL-05] a command before the handshake is refused, and so is a subscription", async () => {
  await using rig = await openRig({ script: [] });
  const parts = {
    world: rig.world,
    store: rig.store,
    openSession: () => Promise.resolve({ session: rig.session }),
  };
  const multiplexer = new Multiplexer(parts);
  const served = { commands: [], events: [], features: [] };
  const connection = connectInproc(multiplexer, { identityClass: "human", label: "hasty" }, served);
  const command = { kind: "CancelTurn", sessionId: rig.session.id } as const;
  await expect(connection.send(command)).rejects.toMatchObject({ reason: "HandshakeRequired" });
  const { signal } = new AbortController();
  expect(() => connection.subscribe(rig.session.id, { signal })).toThrow(
    "Send /v1/handshake before any command.",
  );
});

test("[CTL-04] a client of a newer minor version learns which side to upgrade; an older one is welcome", async () => {
  await using rig = await openRig({ script: [] });
  await expect(rig.connection.handshake("0.99.0")).rejects.toMatchObject({
    message: "Client speaks protocol 0.99.0; server speaks 0.3.0. Upgrade server.",
  });
  expect(await rig.connection.handshake("0.1.0")).toMatchObject({ protocol_version: "0.3.0" });
});

test("[CTL-05] [BUS-06] a command that is not served, or for a session that is not there, is refused by name", async () => {
  await using rig = await openRig({ script: [] });
  const { id: sessionId } = rig.session;
  await expect(rig.connection.send({ kind: "EnterPlanMode", sessionId })).rejects.toMatchObject({
    reason: "InvalidCommand",
    message: "The command EnterPlanMode cannot be carried out: this session has no plan mode",
  });
  const other = rig.world.ids.next("sess");
  await expect(rig.connection.send({ kind: "CancelTurn", sessionId: other })).rejects.toMatchObject({
    reason: "UnknownSession",
  });
});

test("[CTL-01] [BUS-02] every event of a turn names the client that started it, and every client gets the same", async () => {
  await using rig = await openRig({ script: [calls({ name: "Touch" }), says("done")], tools: [touch] });
  const second = await rig.connect();
  const seen = (async () => {
    const list = [];
    const { signal } = new AbortController();
    for await (const event of second.subscribe(rig.session.id, { since: 0, signal })) {
      list.push(event);
      if (event.kind === "TurnEnded") break;
    }
    return list;
  })();
  const turn = await rig.send("go");
  expect(turn.events.map((event) => event.originator)).toEqual(
    turn.events.map(() => rig.connection.clientId),
  );
  expect(await seen).toEqual([...turn.events]);
});

// Seen red with every request unwatched, and with none.
test("[PERF-02] the pieces of an answer may wait only while every subscriber lets deltas wait", async () => {
  await using rig = await openRig({ script: [says("one"), says("two"), says("three")], follows: false });
  const { id: sessionId } = rig.session;
  const content = [{ type: "text" as const, text: "go" }];
  async function turn(deltasMayWait: boolean): Promise<void> {
    await using client = await rig.connect();
    const { signal } = new AbortController();
    const events = client.subscribe(sessionId, { signal, deltasMayWait })[Symbol.asyncIterator]();
    let next = events.next(); // opens the subscription
    await client.send({ kind: "SendInput", sessionId, content });
    while ((await next).value?.kind !== "TurnEnded") next = events.next();
    await events.return?.();
  }
  await turn(true);
  await turn(false);
  await turn(true);
  expect(rig.provider.requests.map(({ isUnwatched }) => isUnwatched)).toEqual([true, undefined, true]);
});

test("[PERM-03 PERM-07] an answer for the session that counts for one call alone is emitted and applied as one for that call", async () => {
  const answers: PermissionOutcome[] = [];
  await using rig = await askingRig(answers, { gate: asking(answers, { onceOnly: true }) });
  const sent = rig.send("go");
  const { callId } = (await rig.until("PermissionRequested")).payload;
  const answer = { decision: "allow", scope: "tool" } as const;
  await rig.connection.send({ kind: "AnswerPermission", sessionId: rig.session.id, callId, ...answer });
  await sent;
  const by = rig.connection.clientId;
  expect(answers).toEqual([{ kind: "answered", decision: "allow", scope: "once", by }]);
  const { payload } = await rig.until("PermissionAnswered");
  const who = { label: "rig", identityClass: "human" } as const;
  expect(payload).toEqual({ callId, decision: "allow", scope: "once", by, who, counted: true });
});

test("[PERM-03] [PERM-12] a person's yes lets the call run, and the answer is an event", async () => {
  const answers: PermissionOutcome[] = [];
  await using rig = await askingRig(answers);
  const sent = rig.send("go");
  const { payload } = await rig.until("PermissionRequested");
  await rig.connection.send({
    kind: "AnswerPermission",
    sessionId: rig.session.id,
    callId: payload.callId,
    decision: "allow",
    scope: "tool",
  });
  expect((await sent).results).toEqual([{ text: "touched", isError: false }]);
  expect(answers).toEqual([
    { kind: "answered", decision: "allow", scope: "tool", by: rig.connection.clientId },
  ]);
  expect((await rig.until("PermissionAnswered")).payload).toMatchObject({
    decision: "allow",
    rule: "Touch",
    counted: true,
  });
});

test("[PERM-06 PERM-08 CTL-03] a client that comes later sees the open question; the first answer counts, and all clients get it", async () => {
  await using rig = await askingRig([]);
  const sent = rig.send("go");
  const asked = await rig.until("PermissionRequested");
  const { callId, timeoutMs } = asked.payload;
  expect(timeoutMs).toBe(PERMISSION_TIMEOUT_MS);
  const { id: sessionId } = rig.session;
  expect(rig.session.askedSince).toBeLessThan(asked.id);

  const late = await rig.connect();
  const leave = new AbortController();
  const events = late.subscribe(sessionId, { signal: leave.signal })[Symbol.asyncIterator]();
  const next = async (kind: string) => {
    for (;;) {
      const { value } = await events.next();
      if (value?.kind === kind) return value;
    }
  };
  expect(await next("PermissionRequested")).toEqual(asked);
  const answer = { kind: "AnswerPermission", sessionId, callId } as const;
  await late.send({ ...answer, decision: "allow" });
  await rig.connection.send({ ...answer, decision: "deny" });
  expect((await next("PermissionAnswered")).payload).toMatchObject({ by: late.clientId, counted: true });
  expect((await next("PermissionAnswered")).payload).toMatchObject({
    by: rig.connection.clientId,
    counted: false,
  });
  expect((await sent).results).toEqual([{ text: "touched", isError: false }]);
  expect(rig.session.askedSince).toBeUndefined();
  leave.abort();
});

test("[PERM-08 S50] an agent cannot answer, neither for its own turn nor for another's", async () => {
  await using rig = await askingRig([]);
  const agent = await rig.connect("agent");
  const sent = rig.send("go");
  const { callId } = (await rig.until("PermissionRequested")).payload;
  const sessionId = rig.session.id;
  const answer = { kind: "AnswerPermission", sessionId, callId, decision: "allow" } as const;
  await expect(agent.send(answer)).rejects.toThrow("agents cannot approve");
  await rig.connection.send({ ...answer, decision: "deny" });
  expect((await sent).results).toEqual([{ text: "refused: answered", isError: true }]);
});

test("[PERM-08] the first answer wins, and a later one is recorded as not counted", async () => {
  await using rig = await askingRig([]);
  const second = await rig.connect();
  const sent = rig.send("go");
  const { callId } = (await rig.until("PermissionRequested")).payload;
  const sessionId = rig.session.id;
  const answer = { kind: "AnswerPermission", sessionId, callId, decision: "allow" } as const;
  await rig.connection.send(answer);
  await second.send({ ...answer, decision: "deny" });
  expect((await sent).results).toEqual([{ text: "touched", isError: false }]);
  expect((await rig.until("PermissionAnswered", 2)).payload).toMatchObject({
    decision: "deny",
    counted: false,
  });
});

test("[PERM-06] without an answer in time the call is refused, and the turn continues", async () => {
  const answers: PermissionOutcome[] = [];
  await using rig = await askingRig(answers);
  const sent = rig.send("go");
  await rig.until("PermissionRequested");
  await rig.world.clock.advance(PERMISSION_TIMEOUT_MS);
  expect(await sent).toMatchObject({ reason: "complete", results: [{ isError: true }] });
  expect(answers).toEqual([{ kind: "timeout", afterMs: PERMISSION_TIMEOUT_MS }]);
});

test("[PERM-06 PERM-14] the time of a question counts only while no person is subscribed, and begins again when the last one leaves", async () => {
  const answers: PermissionOutcome[] = [];
  await using rig = await askingRig(answers, { questionsStayOpen: true, follows: false });
  const { clock } = rig.world;
  const sessionId = rig.session.id;
  const leave = new AbortController();
  const [one, two, agent] = [await rig.connect(), await rig.connect(), await rig.connect("agent")];
  const streams = [one, agent].map((client) =>
    client.subscribe(sessionId, { since: 0, signal: leave.signal })[Symbol.asyncIterator](),
  );
  const [first, followed] = streams;
  if (first === undefined || followed === undefined) throw new Error("two are subscribed");
  const second = new AbortController();
  const others = two.subscribe(sessionId, { since: 0, signal: second.signal })[Symbol.asyncIterator]();
  await one.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  let asked = (await first.next()).value;
  while (asked?.kind !== "PermissionRequested") asked = (await first.next()).value;
  expect(asked.payload).toMatchObject({ timeoutMs: PERMISSION_TIMEOUT_MS, onlyUnattended: true });
  await others.next();
  await clock.advance(10 * PERMISSION_TIMEOUT_MS);
  await first.return?.();
  await clock.advance(PERMISSION_TIMEOUT_MS); // the second person is still there
  expect(answers).toEqual([]);
  second.abort();
  await clock.advance(PERMISSION_TIMEOUT_MS - 1);
  const again = new AbortController();
  two.subscribe(sessionId, { signal: again.signal });
  await clock.advance(PERMISSION_TIMEOUT_MS);
  expect(answers).toEqual([]);
  again.abort();
  await clock.advance(PERMISSION_TIMEOUT_MS - 1);
  expect(answers).toEqual([]);
  await clock.advance(1); // the agent that is still subscribed can answer nothing
  let ended = (await followed.next()).value;
  while (ended?.kind !== "TurnEnded") ended = (await followed.next()).value;
  expect(answers).toEqual([{ kind: "timeout", afterMs: PERMISSION_TIMEOUT_MS }]);
  leave.abort();
});

test("[PERM-06] a person whose token may not answer keeps no question open", async () => {
  const answers: PermissionOutcome[] = [];
  await using rig = await askingRig(answers, { questionsStayOpen: true, follows: false });
  const { id: sessionId } = rig.session;
  const served = { commands: [], events: [], features: [] };
  const scope = { sessions: "all", commands: ["SendInput"] } as const;
  const watcher = connectInproc(rig.multiplexer, { identityClass: "human", label: "watcher", scope }, served);
  await watcher.handshake(PROTOCOL_VERSION);
  const { signal } = new AbortController();
  const events = watcher.subscribe(sessionId, { since: 0, signal })[Symbol.asyncIterator]();
  await watcher.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  let seen = (await events.next()).value;
  while (seen?.kind !== "PermissionRequested") seen = (await events.next()).value;
  await rig.world.clock.advance(PERMISSION_TIMEOUT_MS);
  while (seen?.kind !== "TurnEnded") seen = (await events.next()).value;
  expect(answers).toEqual([{ kind: "timeout", afterMs: PERMISSION_TIMEOUT_MS }]);
});

test("[PERM-12] [REL-01] where nobody can be asked, nothing is asked and nothing waits", async () => {
  const answers: PermissionOutcome[] = [];
  await using rig = await askingRig(answers, { attended: false });
  const turn = await rig.send("go");
  expect(turn.events.map((event) => event.kind)).not.toContain("PermissionRequested");
  expect(answers).toEqual([{ kind: "nobody" }]);
});

test("[ENG-09] [PERM-06] cancelling the turn takes the question back", async () => {
  await using rig = await askingRig([]);
  const sent = rig.send("go");
  const { callId } = (await rig.until("PermissionRequested")).payload;
  const sessionId = rig.session.id;
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  expect((await sent).reason).toBe("cancelled");
  await rig.connection.send({ kind: "AnswerPermission", sessionId, callId, decision: "allow" });
  expect((await rig.until("PermissionAnswered")).payload.counted).toBe(false);
  expect(rig.events.filter((event) => event.kind === "ToolResult")).toMatchObject([
    { payload: { isError: true } },
  ]);
});

test("[CTL-03] a client that goes away stops nothing; one that comes back gets what it missed", async () => {
  await using rig = await openRig({ script: [hangs("working "), says("later")] });
  const guest = await rig.connect();
  const { id: sessionId } = rig.session;
  await guest.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  await rig.until("TextDelta");
  await guest[Symbol.asyncDispose]();
  await expect(guest.send({ kind: "CancelTurn", sessionId })).rejects.toThrow("the client has detached");
  expect(rig.events.map((event) => event.kind)).not.toContain("TurnEnded");
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  const { id } = await rig.until("TurnEnded");
  const back = await rig.connect();
  const missed = [];
  for await (const event of back.subscribe(sessionId, { since: 1, signal: new AbortController().signal })) {
    missed.push(event.id);
    if (event.id === id) break;
  }
  expect(missed).toEqual(rig.events.map((event) => event.id).filter((seen) => seen > 1));
});

test("[LIFE-02] [SES-11] ending a session cancels its turn, notifies every client and frees it", async () => {
  await using rig = await openRig({ script: [hangs("working ")] });
  const sent = rig.send("go");
  await rig.until("TextDelta");
  await rig.connection.send({ kind: "EndSession", sessionId: rig.session.id });
  expect((await sent).reason).toBe("cancelled");
  expect((await rig.until("SessionEnded")).payload).toEqual({ reason: "user" });
  expect(rig.events.at(-1)?.kind).toBe("SessionEnded");
  const again = rig.connection.send({ kind: "CancelTurn", sessionId: rig.session.id });
  await expect(again).rejects.toMatchObject({ reason: "UnknownSession" });
});

test("[CTL-02] [ENG-11] of two inputs at the same instant one is taken and one refused", async () => {
  await using rig = await openRig({ script: [says("one")] });
  const { id: sessionId } = rig.session;
  const input = { kind: "SendInput", sessionId, content: [{ type: "text" as const, text: "go" }] } as const;
  const command = { ...input, content: [...input.content] };
  const outcomes = await Promise.allSettled([rig.connection.send(command), rig.connection.send(command)]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected"]);
  await rig.until("TurnEnded");
});

test("[LIFE-02] [CTL-02] an input at the same instant as the end of its session is refused and leaves no turn behind", async () => {
  await using rig = await openRig({ script: [says("one")] });
  const { id: sessionId } = rig.session;
  const sent = rig.connection
    .send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] })
    .catch((thrown: unknown) => thrown);
  await rig.session.end("user");
  expect(await sent).toMatchObject({ reason: "SessionEnding" });
  expect(rig.events.map((event) => event.kind)).not.toContain("TurnStarted");
});

test("[LIFE-02] a session that was still being opened when the engine stopped is ended too", async () => {
  await using rig = await openRig({ script: [] });
  const { promise, resolve } = Promise.withResolvers<{ readonly session: typeof rig.session }>();
  const multiplexer = new Multiplexer({ world: rig.world, store: rig.store, openSession: () => promise });
  const client = multiplexer.attach({ identityClass: "human", label: "test" });
  const created = multiplexer
    .send({ kind: "CreateSession", profile: "test" }, client)
    .catch((thrown: unknown) => thrown);
  await multiplexer.close("binary-shutdown");
  resolve({ session: rig.session });
  expect(await created).toMatchObject({ reason: "EngineStopping" });
  expect((await rig.until("SessionEnded")).payload).toEqual({ reason: "binary-shutdown" });
});

test("[CTL-03 LIFE-02] a session that has ended is let go of, and can still be read from its log", async () => {
  await using rig = await openRig({ script: [says("hello")] });
  await rig.send("hi");
  const { id: sessionId } = rig.session;
  expect(rig.multiplexer.live).toBe(1);
  await rig.connection.send({ kind: "EndSession", sessionId });
  await rig.until("SessionEnded");
  expect(rig.multiplexer.live).toBe(0);

  const later = await rig.connect();
  const { signal } = new AbortController();
  expect(await later.send({ kind: "DetachSession", sessionId })).toEqual({ sessionId });
  expect(await Array.fromAsync(later.subscribe(sessionId, { since: 0, signal }))).toEqual(rig.events);
  const last = await Array.fromAsync(later.subscribe(sessionId, { signal }));
  expect(last.map(({ kind }) => kind)).toEqual(["SessionEnded"]);
  const content = [{ type: "text" as const, text: "more" }];
  await expect(later.send({ kind: "SendInput", sessionId, content })).rejects.toMatchObject({
    reason: "UnknownSession",
  });
  const nobody = rig.world.ids.next("sess");
  await expect(later.send({ kind: "AttachSession", sessionId: nobody })).rejects.toMatchObject({
    reason: "UnknownSession",
  });
  await expect(Array.fromAsync(later.subscribe(nobody, { signal }))).rejects.toMatchObject({
    reason: "UnknownSession",
  });
});

test("[CTL-19 CTL-02] of two titles at the same instant the last one holds, in what is kept and in the log", async () => {
  const stored: string[] = [];
  const [isFirst, mayReturn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using rig = await openRig({
    script: [],
    keeping: {
      async RenameSession({ sessionId, title }) {
        stored.push(title);
        if (title === "first") {
          isFirst.resolve();
          await mayReturn.promise;
        }
        return { sessionId, result: { title } };
      },
      async DeleteSession({ sessionId }) {
        stored.push("deleted");
        return { sessionId };
      },
    },
  });
  const sessionId = rig.session.id;
  const other = await rig.connect();
  const first = rig.connection.send({ kind: "RenameSession", sessionId, title: "first" });
  await isFirst.promise;
  const last = other.send({ kind: "RenameSession", sessionId, title: "last" });
  const deleted = rig.connection.send({ kind: "DeleteSession", sessionId });
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  expect(stored).toEqual(["first"]);
  mayReturn.resolve();
  await Promise.all([first, last, deleted]);
  expect(stored).toEqual(["first", "last", "deleted"]);
  const events = await rig.store.events(rig.session.logId, 0, 99);
  expect(events.flatMap((event) => (event.kind === "SessionRenamed" ? [event.payload.title] : []))).toEqual([
    "first",
    "last",
  ]);
});

test("[CTL-19 CTL-02] a file for a session that is only being opened waits for it, as an input does", async () => {
  await using rig = await openRig({ script: [says("one")] });
  const mayOpen = Promise.withResolvers<void>();
  const next = rig.world.ids.next("sess");
  const attached: string[] = [];
  const opened = {
    id: next,
    logId: rig.session.logId,
    ending: undefined,
    onChanged: () => undefined,
    onEnded: () => undefined,
    send: async () => ({}),
    attach: async ({ name }: { readonly name: string }) => {
      attached.push(name);
      return { attachment: "att_1", name, media_type: "text/plain", bytes: 1 };
    },
  };
  const facts = { from: "a", to: "b", next, logId: rig.session.logId };
  const multiplexer = new Multiplexer({
    world: rig.world,
    store: rig.store,
    openSession: () => Promise.reject(new Error("nothing is opened here")),
    prepareSwitch: async () => ({
      event: facts as never,
      async open() {
        await mayOpen.promise;
        return { opened: { session: opened as never } };
      },
    }),
  });
  multiplexer.add(rig.session);
  const client = multiplexer.attach({ identityClass: "human", label: "test" });
  const { id: sessionId } = rig.session;
  const switched = multiplexer.send(
    { kind: "SwitchProfile", sessionId, profile: "b", inPlace: true },
    client,
  );
  await rig.until("ProfileSwitched");
  const file = { name: "notes.txt", bytes: new Uint8Array(1) };
  const stored = multiplexer.attachFile(next, file, client);
  const sent = multiplexer.send({ kind: "SendInput", sessionId: next, content: [] }, client);
  mayOpen.resolve();
  expect(await stored).toMatchObject({ name: "notes.txt" });
  await Promise.all([sent, switched]);
  expect(attached).toEqual(["notes.txt"]);
  await expect(multiplexer.attachFile(rig.world.ids.next("sess"), file, client)).rejects.toMatchObject({
    reason: "UnknownSession",
  });
});
