import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import type { Rig, RigOptions } from "../../../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../../../test/support/rig.ts";
import type { ScriptedAnswer } from "../../../../test/support/scripted-provider.ts";
import { calls, events, hangs, says } from "../../../../test/support/scripted-provider.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { InputId } from "../../../base/ids.ts";
import type { Connection } from "../../../protocol/connection.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { memorySessionStore } from "../../store/memory-store.ts";
import type { Batch, Durability, SessionStore } from "../../store/store.ts";
import { INPUTS_WAITING_CHARS_MAX, INPUTS_WAITING_MAX } from "./input-queue.ts";

type Delivery = "queue" | "steer";

async function input(
  rig: Rig,
  text: string,
  options: { readonly delivery?: Delivery; readonly from?: Connection } = {},
): Promise<InputId | undefined> {
  const { delivery, from = rig.connection } = options;
  const accepted = await from.send({
    kind: "SendInput",
    sessionId: rig.session.id,
    content: [{ type: "text", text }],
    ...(delivery === undefined ? {} : { delivery }),
  });
  return accepted.inputId;
}

async function queued(rig: Rig, text: string, delivery: Delivery = "queue"): Promise<InputId> {
  const id = await input(rig, text, { delivery });
  if (id === undefined) throw new Error("it began at once");
  return id;
}

/** Turns that started, in order, with the input that had waited for each. */
function begun(seen: readonly Envelope[]): readonly (readonly [string, InputId | undefined])[] {
  return seen.flatMap((event) => {
    if (event.kind !== "TurnStarted") return [];
    const [block] = event.payload.content ?? [];
    return [[block?.type === "text" ? block.text : "", event.payload.inputId] as const];
  });
}

function custom(seen: readonly Envelope[], kind: string): readonly unknown[] {
  return seen.flatMap((event) =>
    event.kind === "CustomEvent" && event.payload.kind === kind ? [event.payload.payload] : [],
  );
}

/** Last text of each request, as the model got it. */
function lastWords(rig: Rig): readonly string[] {
  return rig.provider.requests.map(({ messages }) => JSON.stringify(messages.at(-1)?.content));
}

/** A tool that runs until the test lets go. */
function gate() {
  const started = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const tool = fakeTool("Wait", async (_input, { signal }) => {
    started.resolve();
    await Promise.race([
      open.promise,
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    ]);
    return ok("waited");
  });
  return { tool, started: started.promise, open: () => open.resolve() };
}

async function cancel(rig: Rig): Promise<void> {
  await rig.connection.send({ kind: "CancelTurn", sessionId: rig.session.id });
}

async function withdraw(rig: Rig, inputId: InputId, from: Connection = rig.connection): Promise<void> {
  await from.send({ kind: "WithdrawInput", sessionId: rig.session.id, inputId });
}

async function waitingRig(options: Partial<RigOptions> = {}) {
  const wait = gate();
  const rig = await openRig({
    script: [calls({ name: "Wait" }), says("first"), says("second"), says("third"), says("fourth")],
    tools: [wait.tool],
    ...options,
  });
  await input(rig, "one");
  await wait.started;
  return { rig, wait };
}

test("[ENG-26] what is queued while a turn runs is in the log before it is accepted, and runs as the next turns in order", async () => {
  const { rig: opened, wait } = await waitingRig();
  await using rig = opened;
  const second = await queued(rig, "two");
  const { logId } = rig.session;
  const logged = (await rig.store.events(logId, 0, 1_000)).findLast(({ kind }) => kind === "InputQueued");
  expect(logged?.payload).toEqual({
    inputId: second,
    content: [{ type: "text", text: "two" }],
    delivery: "queue",
    originator: rig.connection.clientId,
    who: { label: "rig", identityClass: "human" },
  });
  const third = await queued(rig, "three");
  await expect(input(rig, "refused")).rejects.toMatchObject({ reason: "TurnInProgress" });
  wait.open();
  await rig.until("TurnEnded", 3);
  expect(begun(rig.events)).toEqual([
    ["one", undefined],
    ["two", second],
    ["three", third],
  ]);
  expect(lastWords(rig).slice(2)).toEqual([
    JSON.stringify([{ type: "text", text: "two" }]),
    JSON.stringify([{ type: "text", text: "three" }]),
  ]);
});

test("[ENG-26] [ENG-11] the next turn has the session before anybody can react to the end of the last", async () => {
  const { rig: opened, wait } = await waitingRig();
  await using rig = opened;
  await queued(rig, "two");
  const reacting = rig.until("TurnEnded").then(() => input(rig, "too late"));
  wait.open();
  await expect(reacting).rejects.toMatchObject({ reason: "TurnInProgress" });
  await rig.until("TurnEnded", 2);
});

test("[ENG-26] a steered input enters after the results of the round, before the next request", async () => {
  const { rig: opened, wait } = await waitingRig();
  await using rig = opened;
  const steered = await queued(rig, "look at b instead", "steer");
  wait.open();
  await rig.until("TurnEnded");
  expect(begun(rig.events)).toEqual([["one", undefined]]);
  expect(custom(rig.events, "InputDelivered")).toEqual([{ inputId: steered, turn: 1, round: 1 }]);
  const [, second] = rig.provider.requests;
  expect(second?.messages.at(-1)?.role).toBe("user");
  expect(second?.messages.at(-1)?.content.map(({ type }) => type)).toEqual(["tool_result", "text"]);
  expect(second?.messages.at(-1)?.content.at(-1)).toEqual({ type: "text", text: "look at b instead" });
});

test("[ENG-26] a steered input that comes as the model has just answered lets the turn continue with it", async () => {
  let rig: Rig | undefined;
  await using opened = await openRig({
    script: [
      async function* (request, signal) {
        if (rig !== undefined) await queued(rig, "and c?", "steer");
        yield* says("all done")(request, signal);
      },
      says("c too"),
    ],
  });
  rig = opened;
  const { text, reason } = await rig.send("one");
  expect({ text, reason }).toEqual({ text: "all donec too", reason: "complete" });
  expect(rig.events.filter(({ kind }) => kind === "TurnEnded")).toHaveLength(1);
  expect(lastWords(rig).at(-1)).toBe(JSON.stringify([{ type: "text", text: "and c?" }]));
});

test("[ENG-26] what could not enter its turn any more becomes the next one", async () => {
  let rig: Rig | undefined;
  await using opened = await openRig({
    roundsMax: 1,
    script: [
      async function* (request, signal) {
        if (rig !== undefined) await queued(rig, "and c?", "steer");
        yield* says("all done")(request, signal);
      },
      says("c too"),
    ],
  });
  rig = opened;
  await rig.send("one");
  await rig.until("TurnEnded", 2);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "and c?"]);
  expect(custom(rig.events, "InputDelivered")).toEqual([]);
});

test("[ENG-26] in an idle session a queued or steered input begins at once", async () => {
  await using rig = await openRig({ script: [says("first"), says("second")] });
  expect(await input(rig, "one", { delivery: "queue" })).toBeUndefined();
  await rig.until("TurnEnded");
  expect(await input(rig, "two", { delivery: "steer" })).toBeUndefined();
  await rig.until("TurnEnded", 2);
  expect(rig.events.map(({ kind }) => kind)).not.toContain("InputQueued");
});

test("[ENG-26] what was withdrawn never runs; what has begun, is gone or was never there cannot be withdrawn", async () => {
  const { rig: opened, wait } = await waitingRig();
  await using rig = opened;
  const two = await queued(rig, "two");
  const three = await queued(rig, "three");
  await withdraw(rig, two);
  expect((await rig.until("InputWithdrawn")).payload).toEqual({
    inputId: two,
    by: rig.connection.clientId,
    who: { label: "rig", identityClass: "human" },
  });
  await expect(withdraw(rig, two)).rejects.toThrow("no input waits as");
  await expect(withdraw(rig, rig.world.ids.next("inp"))).rejects.toThrow("no input waits as");
  wait.open();
  await rig.until("TurnEnded", 2);
  await expect(withdraw(rig, three)).rejects.toThrow("no input waits as");
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "three"]);
});

test("[ENG-26 S50] an agent withdraws only its own input, a person anybody's", async () => {
  const { rig: opened } = await waitingRig();
  await using rig = opened;
  const [agent, other] = [await rig.connect("agent"), await rig.connect("agent")];
  const mine = await queued(rig, "mine");
  const its = await input(rig, "its", { delivery: "queue", from: agent });
  const another = await input(rig, "another", { delivery: "queue", from: agent });
  if (its === undefined || another === undefined) throw new Error("they wait");
  await expect(withdraw(rig, mine, agent)).rejects.toThrow("only what it sent itself");
  await expect(withdraw(rig, its, other)).rejects.toThrow("only what it sent itself");
  await withdraw(rig, its, agent);
  await withdraw(rig, another);
});

test("[ENG-26] the queue is bounded, and says so", async () => {
  const { rig: opened } = await waitingRig();
  await using rig = opened;
  for (let n = 1; n <= INPUTS_WAITING_MAX; n++) await queued(rig, `input ${n}`);
  const refused = queued(rig, "one more", "steer");
  await expect(refused).rejects.toMatchObject({ reason: "InputQueueFull", fields: { count: "32" } });
});

test("[ENG-26 ENG-08] the queue is bounded by what its inputs hold, too; one that is large alone is taken", async () => {
  const { rig: opened } = await waitingRig();
  await using rig = opened;
  const large = "x".repeat(INPUTS_WAITING_CHARS_MAX);
  await queued(rig, large);
  await expect(queued(rig, "y")).rejects.toMatchObject({ reason: "InputQueueFull", fields: { count: "1" } });
});

test("[ENG-26 R26] a cancel holds what waits; it follows only once a person has sent something, in its order", async () => {
  const { rig: opened } = await waitingRig({
    script: [calls({ name: "Wait" }), says("agent"), says("third"), says("a"), says("b")],
  });
  await using rig = opened;
  const held = [await queued(rig, "a"), await queued(rig, "b", "steer")];
  await cancel(rig);
  await rig.until("TurnEnded");
  expect(custom(rig.events, "InputsWaiting")).toEqual([{ inputIds: held, held }]);
  const agent = await rig.connect("agent");
  await input(rig, "an agent's own", { from: agent });
  await rig.until("TurnEnded", 2);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "an agent's own"]);
  await input(rig, "go on");
  await rig.until("TurnEnded", 5);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "an agent's own", "go on", "a", "b"]);
});

test("[ENG-26 R26] what a person sends after a cancel, while the turn still winds down, goes before what was held", async () => {
  let rig: Rig | undefined;
  const tool = fakeTool("Wait", async (_input, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    if (rig !== undefined) await queued(rig, "after the cancel");
    throw signal.reason;
  });
  await using opened = await openRig({
    script: [calls({ name: "Wait" }), says("second"), says("third")],
    tools: [tool],
  });
  rig = opened;
  await input(rig, "one");
  await rig.until("ToolCallStarted");
  await queued(rig, "before the cancel");
  await cancel(rig);
  await rig.until("TurnEnded", 3);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "after the cancel", "before the cancel"]);
});

test("[ENG-26 R26] an error and a limit hold what waits too", async () => {
  let rig: Rig | undefined;
  const refused = new HarnessError("ProviderKeyRefused", { provider: "a", source: "b", detail: "c" });
  const queueing = (text: string): ScriptedAnswer =>
    async function* (request, signal) {
      if (rig !== undefined) await queued(rig, text);
      yield* events(refused)(request, signal);
    };
  await using opened = await openRig({ script: [queueing("two"), says("later"), says("two runs")] });
  rig = opened;
  expect((await rig.send("one")).reason).toBe("error");
  const { inputId } = (await rig.until("InputQueued")).payload;
  const told = { inputIds: [inputId], held: [inputId] };
  expect((await rig.until("CustomEvent")).payload).toMatchObject({ kind: "InputsWaiting", payload: told });
  expect(begun(rig.events)).toHaveLength(1);
  await rig.send("three");
  await rig.until("TurnEnded", 3);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "three", "two"]);
});

test("[ENG-26] an input that a hook refuses when its turn comes is withdrawn with the reason, and holds the rest", async () => {
  const { rig: opened, wait } = await waitingRig({
    onInput: async ([block]) => {
      if (block?.type === "text" && block.text === "bad")
        throw new HarnessError("PromptRefused", { why: "no" });
      return [];
    },
  });
  await using rig = opened;
  const bad = await queued(rig, "bad");
  const after = await queued(rig, "after it");
  wait.open();
  expect((await rig.until("InputWithdrawn")).payload).toEqual({ inputId: bad });
  const error = rig.events.find(({ kind }) => kind === "Error");
  expect(error?.payload).toMatchObject({ reason: "PromptRefused", details: { inputId: bad } });
  const { payload } = await rig.until("CustomEvent");
  expect(payload.payload).toEqual({ inputIds: [after], held: [after] });
  await rig.send("go on");
  await rig.until("TurnEnded", 3);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "go on", "after it"]);
});

/** A store that asks before each batch is written. */
function watchedStore(before: (batch: Batch) => Promise<void>): SessionStore {
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

test("[ENG-26 ENG-11] what a person sends while the refusal of the next input is written has the session to itself", async () => {
  const writing = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const store = watchedStore(async ({ events = [] }) => {
    if (!events.some(({ kind }) => kind === "InputWithdrawn")) return;
    writing.resolve();
    await written.promise;
  });
  const { rig: opened, wait } = await waitingRig({
    store,
    onInput: async ([block]) => {
      if (block?.type === "text" && block.text === "bad")
        throw new HarnessError("PromptRefused", { why: "no" });
      return [];
    },
  });
  await using rig = opened;
  await queued(rig, "bad");
  await queued(rig, "after it");
  wait.open();
  await writing.promise;
  const sent = input(rig, "at once");
  await settle();
  written.resolve();
  expect(await sent).toBeUndefined();
  await rig.until("TurnEnded", 3);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "at once", "after it"]);
  const turns = rig.events.flatMap(({ kind }) => (/^Turn(Started|Ended)$/.test(kind) ? [String(kind)] : []));
  expect(turns).toEqual(Array.from({ length: 3 }, () => ["TurnStarted", "TurnEnded"]).flat());
});

test("[ENG-26 REL-02] where the log fails as a turn ends, the session ends, and does not wait for the input that was next", async () => {
  let fails = false;
  const store = watchedStore(async ({ events = [] }) => {
    fails ||= events.some(({ kind }) => kind === "TurnEnded");
    if (fails) throw new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "the disk is full" });
  });
  const { rig, wait } = await waitingRig({ store });
  await queued(rig, "two");
  wait.open();
  await rig.session.idle();
  await settle();
  expect(rig.multiplexer.live).toBe(0);
});

test("[REL-02 SES-11] a session whose log fails while no turn runs ends with the command that met it, and frees the log", async () => {
  let fails = false;
  const store = watchedStore(async () => {
    if (fails) throw new HarnessError("StoreUnwritable", { path: "sessions.db", detail: "the disk is full" });
  });
  const rig = await openRig({ script: [says("one")], store, follows: false });
  const { id: sessionId, logId } = rig.session;
  await input(rig, "hello");
  await rig.session.idle();
  await settle();
  fails = true;
  await expect(input(rig, "more")).rejects.toMatchObject({ reason: "StoreUnwritable" });
  await settle();
  expect([rig.multiplexer.live, (await store.find(logId))?.heldBy]).toEqual([0, undefined]);
  fails = false;
  expect((await rig.connection.send({ kind: "AttachSession", sessionId })).sessionId).not.toBe(sessionId);
});

test("[ENG-26 R26] a cancel while the next input is looked at leaves it waiting and held", async () => {
  const looking = Promise.withResolvers<void>();
  const { rig: opened, wait } = await waitingRig({
    onInput: async ([block], { signal }) => {
      if (block?.type !== "text" || block.text !== "two" || signal.aborted) return [];
      looking.resolve();
      await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return [];
    },
  });
  await using rig = opened;
  const two = await queued(rig, "two");
  wait.open();
  await looking.promise;
  await cancel(rig);
  await rig.session.idle();
  await withdraw(rig, two);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one"]);
});

test("[ENG-26] what is withdrawn while it is looked at does not begin, and what waits behind it does", async () => {
  const looking = { next: Promise.withResolvers<void>(), steered: Promise.withResolvers<void>() };
  const go = Promise.withResolvers<void>();
  const { rig: opened, wait } = await waitingRig({
    onInput: async ([block]) => {
      const text = block?.type === "text" ? block.text : "";
      if (text === "two" || text === "steered") {
        looking[text === "two" ? "next" : "steered"].resolve();
        await go.promise;
      }
      return [];
    },
  });
  await using rig = opened;
  const steered = await queued(rig, "steered", "steer");
  const two = await queued(rig, "two");
  await queued(rig, "three");
  wait.open();
  await looking.steered.promise;
  await withdraw(rig, steered);
  await withdraw(rig, two);
  go.resolve();
  await rig.until("TurnEnded", 2);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "three"]);
  expect(custom(rig.events, "InputDelivered")).toEqual([]);
});

test("[ENG-26] what is withdrawn as its turn is about to begin does not begin", async () => {
  const looking = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const { rig: opened, wait } = await waitingRig({
    onInput: async ([block]) => {
      if (block?.type !== "text" || block.text !== "two") return [];
      looking.resolve();
      await go.promise;
      return [];
    },
  });
  await using rig = opened;
  const two = await queued(rig, "two");
  await queued(rig, "three");
  wait.open();
  await looking.promise;
  await withdraw(rig, two);
  go.resolve();
  await rig.until("TurnEnded", 2);
  expect(begun(rig.events).map(([text]) => text)).toEqual(["one", "three"]);
});

test("[ENG-26 R26 SES-01] after a crash what had not begun is there and held; what had begun never begins again", async () => {
  const alive = new Set(["run 1"]);
  const store = memorySessionStore({ isAlive: (_pid, start) => alive.has(start) });
  const touched: string[] = [];
  const touch = fakeTool("Touch", () => {
    touched.push("touch");
    return ok("touched");
  });
  const wait = gate();
  const first = await openRig({
    store,
    processStart: "run 1",
    script: [calls({ name: "Wait" }), says("done"), calls({ name: "Touch" }), hangs("working ")],
    tools: [wait.tool, touch],
  });
  await input(first, "one");
  await wait.started;
  const begunOnce = await queued(first, "touch it");
  const kept = [await queued(first, "later"), await queued(first, "much later")];
  const gone = await queued(first, "never");
  await withdraw(first, gone);
  wait.open();
  await first.until("TextDelta", 2); // the second turn has run its tool, and hangs
  alive.delete("run 1");
  alive.add("run 2");

  await using second = await openRig({
    world: first.world,
    store,
    processStart: "run 2",
    resume: first.session.logId,
    script: [says("new"), says("later"), says("much later")],
  });
  await second.connection.send({ kind: "AttachSession", sessionId: second.session.id });
  // Before the second turn both waited; the new run tells first what waits now, and that it is held.
  expect((await second.until("CustomEvent", 2)).payload.payload).toEqual({ inputIds: kept, held: kept });
  expect(begun(second.events).map(([, id]) => id)).toEqual([undefined, begunOnce]);
  await input(second, "go on");
  await second.until("TurnEnded", 5);
  expect(begun(second.events).map(([text]) => text)).toEqual([
    "one",
    "touch it",
    "go on",
    "later",
    "much later",
  ]);
  expect(touched).toEqual(["touch"]);
  await expect(first[Symbol.asyncDispose]()).rejects.toMatchObject({ reason: "LeaseLost" });
});

test("[ENG-26 SES-07] what waits when a session is ended comes back with its log, over several runs", async () => {
  const store = memorySessionStore({ isAlive: () => false });
  const wait = gate();
  const first = await openRig({ store, script: [calls({ name: "Wait" })], tools: [wait.tool] });
  await input(first, "one");
  await wait.started;
  const two = await queued(first, "two");
  await first[Symbol.asyncDispose]();
  const { logId } = first.session;
  const idle = await openRig({ world: first.world, store, resume: logId, script: [] });
  await idle[Symbol.asyncDispose]();
  await using last = await openRig({
    world: first.world,
    store,
    resume: logId,
    script: [says("a"), says("b")],
  });
  await input(last, "go on");
  await last.until("TurnEnded", 3);
  expect(begun(last.events)).toEqual([
    ["one", undefined],
    ["go on", undefined],
    ["two", two],
  ]);
});

test("[ENG-26 TUI-10] an event before every waiting input is known while one waits, also in a new run", async () => {
  const store = memorySessionStore({ isAlive: () => false });
  const wait = gate();
  const first = await openRig({ store, script: [calls({ name: "Wait" })], tools: [wait.tool] });
  await input(first, "one");
  await wait.started;
  expect(first.session.queuedSince).toBeUndefined();
  await queued(first, "two");
  await queued(first, "three");
  const { id } = await first.until("InputQueued");
  expect(first.session.queuedSince).toBeLessThan(id);
  await first[Symbol.asyncDispose]();
  const resume = first.session.logId;
  await using last = await openRig({
    ...{ world: first.world, store, resume },
    script: [says("a"), says("b"), says("c")],
  });
  expect(last.session.queuedSince).toBe(id - 1);
  await input(last, "go on");
  await last.until("TurnEnded", 4);
  expect(last.session.queuedSince).toBeUndefined();
});

test("[ENG-26 ENG-18] a turn that fails in the middle keeps what was steered into it in a valid history", async () => {
  const { rig: opened, wait } = await waitingRig({
    script: [calls({ name: "Wait" }), events(new Error("a bug")), says("fine")],
  });
  await using rig = opened;
  await queued(rig, "look at b", "steer");
  wait.open();
  expect((await rig.until("TurnEnded")).payload.reason).toBe("error");
  await rig.send("again");
  const roles = rig.provider.requests.at(-1)?.messages.map(({ role }) => role);
  expect(roles).toEqual(["user", "assistant", "user"]);
});
