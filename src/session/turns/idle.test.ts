import { expect, test } from "bun:test";
import { settle } from "../../../test/support/fake-clock.ts";
import type { Rig, RigOptions } from "../../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../../test/support/rig.ts";
import { calls, hangs, says } from "../../../test/support/scripted-provider.ts";
import { until } from "../../../test/support/until.ts";
import { CacheBudget } from "../../base/cache-budget.ts";
import type { LogId } from "../../base/ids.ts";
import type { Event } from "../../protocol/events/events.ts";
import { memorySessionStore } from "../store/memory-store.ts";
import type { SessionStore } from "../store/store.ts";
import { HISTORY_KEPT_MS } from "./idle-watch.ts";
import { PROVISIONAL_MS } from "./session.ts";

const TIMEOUT_MS = 1_800_000;

async function unwatched(options: Partial<RigOptions> = {}): Promise<Rig> {
  return await openRig({ script: [says("hello")], follows: false, idleTimeoutMs: TIMEOUT_MS, ...options });
}

async function said(rig: Rig, text: string): Promise<void> {
  const { id: sessionId } = rig.session;
  await rig.connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
  await rig.session.idle();
  await settle();
}

async function ending(rig: Rig): Promise<unknown> {
  const [last] = (await rig.store.events(rig.session.logId, 0, 10_000)).slice(-1);
  return last?.kind === "SessionEnded" ? last.payload.reason : undefined;
}

test("[SES-11] a session that nobody follows and that does nothing ends after the time limit, and not before", async () => {
  await using rig = await unwatched();
  await said(rig, "hi");
  await rig.world.clock.advance(TIMEOUT_MS - 1);
  expect([rig.multiplexer.live, await ending(rig)]).toEqual([1, undefined]);
  await rig.world.clock.advance(1);
  expect([rig.multiplexer.live, await ending(rig)]).toEqual([0, "idle"]);
  expect(rig.world.clock.waiting).toBe(0);
});

test("[SES-11 CTL-11] one that may never be used ends a minute after its last client has left, unless it has had a turn", async () => {
  for (const idleTimeoutMs of [0, TIMEOUT_MS]) {
    await using rig = await unwatched({ provisional: true, idleTimeoutMs });
    const stop = new AbortController();
    const following = Array.fromAsync(rig.connection.subscribe(rig.session.id, { signal: stop.signal }));
    await rig.world.clock.advance(10 * PROVISIONAL_MS);
    expect(rig.multiplexer.live).toBe(1);
    stop.abort();
    await following;
    await rig.world.clock.advance(PROVISIONAL_MS - 1);
    expect(rig.multiplexer.live).toBe(1); // a client that has lost its connection may come back
    await rig.world.clock.advance(1);
    expect([rig.multiplexer.live, await ending(rig)]).toEqual([0, "idle"]);
    await using used = await unwatched({ provisional: true, idleTimeoutMs });
    await said(used, "hi");
    await used.world.clock.advance(10 * PROVISIONAL_MS);
    expect(used.multiplexer.live).toBe(1);
  }
});

test.each(["another model", "an agent", "a file"])(
  "[SES-11 CTL-11] one that may never be used ends like any other once it has %s",
  async (what) => {
    const stored = { attachment: "att_1", name: "a.txt", media_type: "text/plain", bytes: 1 };
    const attachments = { store: async () => stored } as unknown as NonNullable<RigOptions["attachments"]>;
    await using rig = await unwatched({ provisional: true, attachments });
    const { id: sessionId } = rig.session;
    if (what === "another model")
      await rig.connection.send({ kind: "SetModel", sessionId, model: "scripted:other" });
    if (what === "an agent") await (await rig.connect("agent")).send({ kind: "AttachSession", sessionId });
    if (what === "a file") await rig.session.attach({ name: "a.txt", bytes: new Uint8Array(1) } as never);
    await settle();
    await rig.world.clock.advance(10 * PROVISIONAL_MS);
    expect(rig.multiplexer.live).toBe(1);
    await rig.world.clock.advance(TIMEOUT_MS);
    expect(rig.multiplexer.live).toBe(0);
  },
);

test("[SES-11 REL-04] one whose log could not be written is not left: its log may lack what was done", async () => {
  const memory = memorySessionStore({ isAlive: () => true });
  let isBroken = false;
  const store: SessionStore = {
    ...memory,
    async create(...given) {
      const writer = await memory.create(...given);
      return {
        logId: writer.logId,
        epoch: writer.epoch,
        lastEvent: writer.lastEvent,
        async append(batch, durability) {
          if (isBroken) throw new Error("no space left");
          await writer.append(batch, durability);
        },
        [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
      };
    },
  };
  const left: boolean[] = [];
  await using rig = await unwatched({
    provisional: true,
    store,
    closing: async (isLeft) => void left.push(isLeft),
  });
  isBroken = true;
  const end = rig.connection.send({ kind: "EndSession", sessionId: rig.session.id });
  await Promise.allSettled([end]);
  expect(left).toEqual([false]);
});

test("[SES-11] one that is followed continues, and its time counts from when the last one left", async () => {
  await using rig = await unwatched();
  const stop = new AbortController();
  const following = Array.fromAsync(rig.connection.subscribe(rig.session.id, { signal: stop.signal }));
  await rig.world.clock.advance(10 * TIMEOUT_MS);
  expect(rig.multiplexer.live).toBe(1);
  expect(rig.world.clock.waiting).toBe(0); // nothing wakes it
  stop.abort();
  await following;
  await rig.world.clock.advance(TIMEOUT_MS - 1);
  expect(rig.multiplexer.live).toBe(1);
  await rig.world.clock.advance(1);
  expect(await ending(rig)).toBe("idle");
});

test("[SES-11] a turn, a background task, a command and a pin each keep it alive", async () => {
  let running = 0;
  let tell: (event: Event) => void = () => undefined;
  await using rig = await unwatched({
    script: [hangs("working ")],
    tasksRunning: () => running,
    onTell: (publish) => {
      tell = publish;
    },
  });
  const { id: sessionId } = rig.session;
  await rig.connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  await rig.world.clock.advance(2 * TIMEOUT_MS);
  expect(rig.multiplexer.live).toBe(1);

  running = 1;
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  await rig.world.clock.advance(2 * TIMEOUT_MS);
  expect(rig.multiplexer.live).toBe(1);

  running = 0;
  const taskId = rig.world.ids.next("task");
  tell({ kind: "TaskChanged", payload: { taskId, what: "npm test", state: "done" } });
  await rig.world.clock.advance(TIMEOUT_MS - 1);
  await rig.connection.send({ kind: "SetModel", sessionId, model: "scripted:other" });
  await rig.world.clock.advance(TIMEOUT_MS - 1);
  expect(rig.multiplexer.live).toBe(1);

  rig.session.pin(true);
  await rig.world.clock.advance(2 * TIMEOUT_MS);
  expect(rig.multiplexer.live).toBe(1);
  rig.session.pin(false);
  await rig.world.clock.advance(TIMEOUT_MS);
  expect(await ending(rig)).toBe("idle");
});

test("[SES-11 CTL-18] one that its last person has left ends at once, and not while somebody else or something uses it", async () => {
  let running = 0;
  const afterwards = async (
    use: (rig: Rig) => Promise<unknown> | unknown,
    options: Partial<RigOptions> = {},
  ) => {
    await using rig = await unwatched({ tasksRunning: () => running, ...options });
    const { id: sessionId } = rig.session;
    const own = new AbortController();
    const following = Array.fromAsync(rig.connection.subscribe(sessionId, { signal: own.signal }));
    await use(rig);
    await rig.connection.send({ kind: "DetachSession", sessionId });
    await settle();
    expect(rig.multiplexer.live).toBe(1); // it said nothing of leaving for good
    await rig.connection.send({ kind: "DetachSession", sessionId, left: true });
    await settle();
    const end = await ending(rig);
    own.abort();
    await following;
    return end;
  };
  expect(await afterwards(() => undefined)).toBe("user");
  expect(await afterwards((rig) => said(rig, "hi"))).toBe("user");
  expect(await afterwards((rig) => rig.session.pin(true))).toBeUndefined();
  running = 1;
  expect(await afterwards(() => undefined)).toBeUndefined();
  running = 0;
  const sends = (rig: Rig) =>
    rig.connection.send({
      kind: "SendInput",
      sessionId: rig.session.id,
      content: [{ type: "text", text: "go" }],
    });
  expect(await afterwards(sends, { script: [hangs("working ")] })).toBeUndefined();
  const stop = new AbortController();
  let others: Promise<unknown> = Promise.resolve();
  const follows = async (rig: Rig) => {
    const other = await rig.connect("human");
    others = Array.fromAsync(other.subscribe(rig.session.id, { signal: stop.signal }));
  };
  expect(await afterwards(follows)).toBeUndefined();
  stop.abort();
  await others;
  const agents = async (rig: Rig) =>
    await (await rig.connect("agent")).send({ kind: "AttachSession", sessionId: rig.session.id });
  expect(await afterwards(agents)).toBeUndefined();
});

test("[SES-11] with no time limit, or pinned from the start, it never ends automatically", async () => {
  await using unlimited = await unwatched({ idleTimeoutMs: 0 });
  await using pinned = await unwatched({ pinned: true });
  for (const rig of [unlimited, pinned]) {
    await rig.world.clock.advance(100 * TIMEOUT_MS);
    expect([rig.multiplexer.live, rig.world.clock.waiting]).toEqual([1, 0]);
  }
});

test("[SES-11] a time limit that is shorter than the history is kept ends nobody that is followed or pinned", async () => {
  const idleTimeoutMs = HISTORY_KEPT_MS / 2;
  await using pinned = await unwatched({ idleTimeoutMs, pinned: true });
  await using rig = await unwatched({ idleTimeoutMs });
  const stop = new AbortController();
  const following = Array.fromAsync(rig.connection.subscribe(rig.session.id, { signal: stop.signal }));
  for (const { world, multiplexer } of [pinned, rig]) {
    await world.clock.advance(10 * idleTimeoutMs);
    expect(multiplexer.live).toBe(1);
  }
  stop.abort();
  await following;
  await rig.world.clock.advance(idleTimeoutMs);
  expect(await ending(rig)).toBe("idle");
});

test("[SES-11 REL-04] while a turn runs nothing waits for the session to be idle", async () => {
  await using rig = await unwatched({ script: [hangs("working ")] });
  const { id: sessionId } = rig.session;
  await rig.connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "go" }] });
  await rig.world.clock.advance(1_000);
  await rig.connection.send({ kind: "AttachSession", sessionId });
  expect(rig.world.clock.waiting).toBe(0);
  await rig.connection.send({ kind: "CancelTurn", sessionId });
  await rig.session.idle();
  await settle();
  expect(rig.world.clock.waiting).toBe(1);
});

test("[SES-11 CTL-03] attaching to an ended session opens one new run on its log, whoever asks, and it continues", async () => {
  await using rig = await unwatched({ script: [says("hello"), says("again")] });
  await said(rig, "hi");
  const { id: ended, logId } = rig.session;
  await rig.connection.send({ kind: "EndSession", sessionId: ended });
  const other = await rig.connect();
  const answers = await Promise.all([
    rig.connection.send({ kind: "AttachSession", sessionId: ended }),
    other.send({ kind: "AttachSession", sessionId: ended }),
  ]);
  const [{ sessionId }] = answers;
  expect(answers).toEqual([{ sessionId }, { sessionId }] as typeof answers);
  expect(sessionId).not.toBe(ended);
  expect(await other.send({ kind: "AttachSession", sessionId: ended })).toEqual({ sessionId } as never);
  expect(rig.multiplexer.live).toBe(1);
  if (sessionId === undefined) throw new Error("it has an id");
  const stop = new AbortController();
  const events = other.subscribe(sessionId, { since: 0, signal: stop.signal })[Symbol.asyncIterator]();
  await other.send({ kind: "SendInput", sessionId, content: [{ type: "text", text: "more" }] });
  const seen: string[] = [];
  for (let next = await events.next(); !next.done; next = await events.next()) {
    seen.push(next.value.kind);
    if (next.value.kind === "TurnEnded" && next.value.session === sessionId) break;
  }
  stop.abort();
  expect(seen.filter((kind) => kind === "TurnStarted" || kind === "SessionEnded")).toEqual([
    "TurnStarted",
    "SessionEnded",
    "TurnStarted",
  ]);
  const [, second] = rig.provider.requests;
  expect(second?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect((await rig.store.find(logId))?.session).toBe(sessionId);
});

test("[SES-11] attaching while it is being ended waits for that, and opens the next run", async () => {
  await using rig = await unwatched();
  const { id: sessionId } = rig.session;
  const ended = rig.session.end("idle");
  const attached = await rig.connection.send({ kind: "AttachSession", sessionId });
  await ended;
  expect(attached.sessionId).not.toBe(sessionId);
  expect(rig.multiplexer.live).toBe(1);
});

test("[SES-11 CTL-03] attaching to an older run while the newer one of its log is being ended waits for that too", async () => {
  await using rig = await unwatched();
  const { id: older } = rig.session;
  await rig.connection.send({ kind: "EndSession", sessionId: older });
  const { sessionId: newer } = await rig.connection.send({ kind: "AttachSession", sessionId: older });
  if (newer === undefined) throw new Error("it has an id");
  const ended = rig.connection.send({ kind: "EndSession", sessionId: newer });
  const { sessionId: newest } = await rig.connection.send({ kind: "AttachSession", sessionId: older });
  await ended;
  expect([newest === older, newest === newer, rig.multiplexer.live]).toEqual([false, false, 1]);
});

test("[SES-11] a session whose log another process holds is reported as held", async () => {
  const store = memorySessionStore({ isAlive: () => true });
  await using rig = await unwatched({ store });
  const { id: sessionId, logId } = rig.session;
  await rig.connection.send({ kind: "EndSession", sessionId });
  const holder = { pid: 4_711, processStart: "another" };
  await using _held = await store.open(logId, rig.world.ids.next("sess"), holder);
  await expect(rig.connection.send({ kind: "AttachSession", sessionId })).rejects.toMatchObject({
    reason: "LogHeld",
    fields: { pid: "4711" },
  });
  const nobody = rig.world.ids.next("sess");
  await expect(rig.connection.send({ kind: "AttachSession", sessionId: nobody })).rejects.toMatchObject({
    reason: "UnknownSession",
  });
});

test("[PERF-04 SES-07] an idle session lets go of its conversation, and the next request says the same as if it had not", async () => {
  const tool = fakeTool("Look", () => ok("seen"));
  const script = [calls("let me see", { name: "Look" }), says("done"), says("again")];
  const requests = [];
  for (const idleMs of [0, HISTORY_KEPT_MS]) {
    await using rig = await unwatched({ script, tools: [tool] });
    await said(rig, "hi");
    await rig.world.clock.advance(idleMs);
    await said(rig, "more");
    expect(rig.provider.requests).toHaveLength(3);
    requests.push(JSON.stringify(rig.provider.requests.map(({ messages }) => messages)));
  }
  const withoutIds = requests.map((text) => text.replaceAll(/call_\w+/g, "call"));
  expect(withoutIds[1]).toBe(withoutIds[0] as string);
});

test("[SES-12 PERF-04] conversations of idle sessions share the budget of all caches: the one that rested longest is read from its log again", async () => {
  const caches = new CacheBudget(40_000);
  const counts = () => {
    const [histories] = caches.counts();
    return { entries: histories?.entries, hits: histories?.hits, evictions: histories?.evictions };
  };
  const plain = memorySessionStore({ isAlive: () => true });
  const reread: LogId[] = [];
  const messages = async (logId: LogId) => {
    reread.push(logId);
    return await plain.messages(logId);
  };
  const script = Array.from({ length: 9 }, () => says("yes"));
  await using rig = await unwatched({ script, caches, store: { ...plain, messages } });
  const { sessionId: other } = await rig.connection.send({ kind: "CreateSession", profile: "test" });
  if (other === undefined) throw new Error("it has an id");
  const text = "a word ".repeat(700); // 9,800 bytes in memory: two of them are more than the share of one cache
  const saysTo = async (sessionId: typeof other) => {
    await rig.connection.send({ kind: "SendInput", sessionId, content: [{ type: "text", text }] });
    while ((await rig.store.find(sessionId))?.interrupted !== false) await settle();
    await settle();
    return rig.provider.requests.at(-1)?.messages.length;
  };
  const lengths = [await saysTo(rig.session.id)];
  expect(counts()).toEqual({ entries: 2, hits: 1, evictions: 0 });
  lengths.push(await saysTo(other));
  expect(counts()).toEqual({ entries: 1, hits: 2, evictions: 1 });
  lengths.push(await saysTo(rig.session.id)); // with what it said before, from the log
  // Two prompts and two answers are more than the share: they are kept nowhere while it rests.
  expect(counts()).toEqual({ entries: 1, hits: 2, evictions: 2 });
  lengths.push(await saysTo(rig.session.id), await saysTo(other));
  expect(lengths).toEqual([1, 1, 3, 5, 3]);
  expect(reread).toEqual([rig.session.logId, rig.session.logId]);
  expect(caches.bytes).toBeLessThanOrEqual(20_000);
  await rig.connection.send({ kind: "EndSession", sessionId: other });
  expect(counts().entries).toBe(0);
});

test("[SES-06] what has expired of a session that is open is not sent again: from the next turn on, whether it rests or works", async () => {
  const work = Promise.withResolvers<void>();
  const tool = fakeTool("Look", async () => {
    await work.promise;
    return ok("seen");
  });
  const script = [says("yes"), says("yes"), says("yes"), calls({ name: "Look" }), says("yes"), says("yes")];
  await using rig = await unwatched({ script, tools: [tool] });
  const sent = () => JSON.stringify(rig.provider.requests.at(-1)?.messages);
  const nextDay = async () => {
    await rig.world.clock.advance(86_400_000);
    return new Date(rig.world.clock.now()).toISOString().slice(0, 10);
  };
  await using stop = new AsyncDisposableStack();
  const following = new AbortController();
  const events = Array.fromAsync(rig.connection.subscribe(rig.session.id, { signal: following.signal }));
  stop.defer(async () => {
    following.abort();
    await events;
  });
  const expire = async (beforeDay: string) => {
    expect(await rig.store.expire(rig.session.logId, beforeDay)).toBeGreaterThan(0);
    for (const session of rig.multiplexer.running) session.contentExpired();
  };
  await said(rig, "the first day");
  const second = await nextDay();
  await said(rig, "the second day");
  expect(sent()).toContain("the first day");
  await expire(second);
  await said(rig, "later on the second day");
  expect(sent()).not.toContain("the first day");
  const third = await nextDay();
  const { id: sessionId } = rig.session;
  await rig.connection.send({
    kind: "SendInput",
    sessionId,
    content: [{ type: "text", text: "the third day" }],
  });
  await until("it is asked", () => rig.provider.requests.length === 4);
  expect(sent()).not.toContain("the first day");
  expect(sent()).toContain("the second day");
  await expire(third); // while its turn runs: that goes on with what it has
  work.resolve();
  await rig.session.idle();
  await settle();
  expect(sent()).toContain("the second day");
  await said(rig, "and again");
  expect(sent()).not.toContain("the second day");
  expect(sent()).toContain("the third day");
});

test("[REL-04] a session holds one timer while it waits to be idle, and none while it is followed", async () => {
  await using rig = await unwatched({ script: Array.from({ length: 20 }, () => says("hello")) });
  for (let turn = 0; turn < 20; turn++) await said(rig, "hi");
  expect(rig.world.clock.waiting).toBe(1);
  await rig.world.clock.advance(HISTORY_KEPT_MS);
  expect(rig.world.clock.waiting).toBe(1);
});
