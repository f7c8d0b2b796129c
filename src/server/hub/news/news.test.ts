import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import type { Rig, RigOptions } from "../../../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../../../test/support/rig.ts";
import { rigPort } from "../../../../test/support/rig-port.ts";
import { calls, says } from "../../../../test/support/scripted-provider.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { NEWS_GATHER_MS, News } from "./news.ts";
import { NEWS_INTERVAL_MS, NEWS_SESSIONS_MAX } from "./news-reader.ts";

const { signal } = new AbortController();
const asking = { identityClass: "human", signal } as const;

async function openNewsRig(options: RigOptions): Promise<Rig & { readonly port: EnginePort }> {
  const rig = await openRig(options);
  return { ...rig, port: rigPort(rig) };
}

/** A reader that reads as fast as items come. */
function reading(rig: Rig, past = false, named?: readonly SessionId[]) {
  const stop = new AbortController();
  const items: NewsItem[] = [];
  const scope = named === undefined ? {} : { scope: { sessions: named, commands: "all" } as const };
  const news = rig.multiplexer.news.read({ past }, { identityClass: "human", ...scope, signal: stop.signal });
  const ready = Promise.withResolvers<void>();
  const over = (async () => {
    for await (const item of news) {
      items.push(item);
      if (item.kind === "NewsReady") ready.resolve();
    }
  })();
  over.catch(() => undefined); // the test reads it
  return {
    items,
    ready: ready.promise,
    kinds: () => items.map((item) => item.kind),
    over,
    async leave() {
      stop.abort();
      await over;
    },
  };
}

/** The sessions that a reader has, in the order of their ids. */
export function folded(items: readonly NewsItem[]): readonly SessionInfo[] {
  const sessions = new Map<SessionId, SessionInfo>();
  for (const item of items) {
    if (item.kind === "SessionChanged") sessions.set(item.session, item.info);
    if (item.kind === "SessionGone") sessions.delete(item.session);
  }
  return byId([...sessions.values()]);
}

function byId(sessions: readonly SessionInfo[]): readonly SessionInfo[] {
  return [...sessions].sort((a, b) => (a.session < b.session ? -1 : 1));
}

async function listed(rig: Rig, past = false): Promise<readonly SessionInfo[]> {
  const { sessions } = await rig.multiplexer.query({ kind: "ListSessions", past }, asking);
  return byId(sessions);
}

test("[CTL-19] the news begin with every session, then bring its turns, subscribers and end, as ListSessions has them", async () => {
  await using rig = await openNewsRig({ script: [says("hello")] });
  const { id } = rig.session;
  const { clock } = rig.world;
  const reader = reading(rig);
  await reader.ready;
  expect(reader.items).toEqual([
    { kind: "SessionChanged", session: id, info: (await listed(rig))[0] as SessionInfo },
    { kind: "NewsReady" },
  ]);
  await rig.send("go");
  await clock.advance(2 * NEWS_INTERVAL_MS);
  const [afterTurn] = await listed(rig);
  expect(afterTurn?.turns).toBe(1);
  expect(folded(reader.items)).toEqual([afterTurn as SessionInfo]);
  const watching = new AbortController();
  void rig.connection.subscribe(id, { signal: watching.signal });
  await clock.advance(2 * NEWS_INTERVAL_MS);
  expect(folded(reader.items)).toEqual(await listed(rig));
  expect(folded(reader.items)[0]?.attached_by).toEqual(["rig", "rig"]);
  watching.abort();
  await clock.advance(2 * NEWS_INTERVAL_MS);
  expect(folded(reader.items)[0]?.attached_by).toEqual(["rig"]);
  await rig.connection.send({ kind: "EndSession", sessionId: id });
  await clock.advance(2 * NEWS_INTERVAL_MS);
  expect(reader.items.at(-1)).toEqual({ kind: "SessionGone", session: id, log: rig.session.logId });
  await reader.leave();
});

test("[CTL-19] a question is news while its turn runs, and so is its answer", async () => {
  await using rig = await openNewsRig({
    script: [calls({ name: "Touch" }), says("done")],
    tools: [fakeTool("Touch", () => ok("touched"), { mutating: true })],
    gate: (questions) => [
      async ({ id: callId, name: tool, input: args }, { originator, signal: until }) => {
        await rig.world.clock.sleep(1_000, until);
        await questions.askPermission({ callId, tool, args, originator, summary: tool }, until);
        return ok("asked");
      },
    ],
  });
  const { clock } = rig.world;
  const reader = reading(rig);
  await reader.ready;
  const sent = rig.send("go");
  await clock.armed();
  await clock.advance(1_000);
  const { id: asked, payload } = await rig.until("PermissionRequested");
  await clock.advance(NEWS_INTERVAL_MS);
  expect(folded(reader.items)).toEqual(await listed(rig));
  expect(folded(reader.items)[0]?.asked_since).toBe(asked - 1);
  const answer = { kind: "AnswerPermission", callId: payload.callId, decision: "deny" } as const;
  await rig.connection.send({ ...answer, sessionId: rig.session.id });
  await sent;
  await clock.advance(2 * NEWS_INTERVAL_MS);
  expect(folded(reader.items)).toEqual(await listed(rig));
  expect(folded(reader.items)[0]?.asked_since).toBeUndefined();
  await reader.leave();
});

test("[CTL-19] a session that ends by itself is news, once its end is over", async () => {
  const rest = Promise.withResolvers<void>();
  const closing = () => rest.promise;
  await using rig = await openNewsRig({ script: [], follows: false, idleTimeoutMs: 5_000, closing });
  const reader = reading(rig);
  await reader.ready;
  await rig.world.clock.advance(5_000);
  await rig.world.clock.advance(NEWS_INTERVAL_MS);
  expect(folded(reader.items)).toMatchObject([{ live: true }]);
  rest.resolve();
  await rig.world.clock.advance(NEWS_INTERVAL_MS);
  expect(reader.items.at(-1)?.kind).toBe("SessionGone");
  await reader.leave();
});

test("[CTL-19] with past, stored sessions are there too: one that ends stays, one that is resumed changes its run, one that is deleted is gone", async () => {
  await using rig = await openNewsRig({ script: [] });
  const { logId, id } = rig.session;
  const reader = reading(rig, true);
  await reader.ready;
  await rig.connection.send({ kind: "EndSession", sessionId: id });
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  expect(folded(reader.items)).toMatchObject([{ session: id, live: false, status: "paused" }]);
  const { sessionId: next } = await rig.connection.send({ kind: "CreateSession", resume: logId });
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  expect(reader.items.slice(-2)).toMatchObject([
    { kind: "SessionGone", session: id, log: logId },
    { kind: "SessionChanged", session: next as SessionId, info: { log: logId, live: true } },
  ]);
  expect(folded(reader.items)).toEqual(await listed(rig, true));
  await rig.connection.send({ kind: "EndSession", sessionId: next as SessionId });
  await rig.store.delete(logId);
  rig.multiplexer.changed(logId);
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  expect(reader.items.at(-1)).toEqual({ kind: "SessionGone", session: next as SessionId, log: logId });
  await reader.leave();
});

test("[CTL-19] a command about a stored session is news: to pin it, and what deletes it", async () => {
  await using rig: Rig = await openNewsRig({
    script: [],
    keeping: {
      async PinSession({ pinned }) {
        await rig.store.pin(rig.session.logId, pinned);
        return {};
      },
      async MuteSession() {
        await rig.store.delete(rig.session.logId);
        return {};
      },
    },
  });
  const { id: sessionId, logId } = rig.session;
  await rig.connection.send({ kind: "EndSession", sessionId });
  const reader = reading(rig, true);
  await reader.ready;
  expect(folded(reader.items)).toMatchObject([{ pinned: false }]);
  await rig.connection.send({ kind: "PinSession", sessionId, pinned: true });
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  expect(folded(reader.items)).toMatchObject([{ pinned: true }]);
  await rig.connection.send({ kind: "MuteSession", sessionId });
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  expect(reader.items.at(-1)).toEqual({ kind: "SessionGone", session: sessionId, log: logId });
  await reader.leave();
});

test("[CTL-19 AUTH-07] a token of named sessions sees these only, and the next runs on their logs", async () => {
  await using rig = await openNewsRig({ script: [] });
  const { id, logId } = rig.session;
  const reader = reading(rig, false, [id]);
  await reader.ready;
  const other = await rig.connection.send({ kind: "CreateSession" });
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  expect(reader.items).toMatchObject([{ kind: "SessionChanged", session: id }, { kind: "NewsReady" }]);
  // Nothing of other clients either, as in its lists.
  expect(reader.items[0]).not.toHaveProperty("info.attached_by");
  await rig.connection.send({ kind: "EndSession", sessionId: id });
  const next = await rig.connection.send({ kind: "CreateSession", resume: logId });
  await rig.world.clock.advance(2 * NEWS_INTERVAL_MS);
  const scope = { sessions: [id], commands: "all" } as const;
  const { sessions } = await rig.multiplexer.query({ kind: "ListSessions" }, { ...asking, scope });
  expect(folded(reader.items)).toEqual(sessions);
  expect(sessions).toMatchObject([{ session: next.sessionId as SessionId }]);
  expect(JSON.stringify(reader.items)).not.toContain(other.sessionId as string);
  await reader.leave();
});

test("[CTL-19] one session has at most four items in a second, and its last state always comes", async () => {
  await using rig = await openNewsRig({ script: [] });
  const { clock } = rig.world;
  const reader = reading(rig);
  await reader.ready;
  const times: number[] = [];
  for (let ms = 0; ms < 2_000; ms += 10) {
    rig.multiplexer.changed(rig.session.logId);
    const before = reader.items.length;
    await clock.advance(10);
    for (let at = before; at < reader.items.length; at++) times.push(ms);
  }
  expect(times.length).toBeGreaterThan(5);
  for (const from of times)
    expect(times.filter((ms) => ms >= from && ms < from + 1_000).length).toBeLessThan(5);
  await rig.store.pin(rig.session.logId, true);
  rig.multiplexer.changed(rig.session.logId);
  await clock.advance(NEWS_INTERVAL_MS + NEWS_GATHER_MS);
  expect(folded(reader.items)).toMatchObject([{ pinned: true }]);
  await reader.leave();
});

test("[CTL-19] a reader that takes nothing holds one entry for each session, and gets the last states in the end", async () => {
  await using rig = await openNewsRig({ script: [] });
  const { clock } = rig.world;
  const stop = new AbortController();
  const slow = rig.multiplexer.news.read({ past: true }, { ...asking, signal: stop.signal });
  const items: NewsItem[] = [];
  const take = async () => {
    const { value } = await slow.next();
    if (value !== undefined) items.push(value);
    return value?.kind;
  };
  while ((await take()) !== "NewsReady");
  for (let round = 0; round < 20; round++) {
    const { sessionId } = await rig.connection.send({ kind: "CreateSession" });
    await clock.advance(NEWS_INTERVAL_MS);
    if (round % 2 === 0) await rig.connection.send({ kind: "EndSession", sessionId: sessionId as SessionId });
    rig.multiplexer.changed(rig.session.logId);
    await clock.advance(NEWS_INTERVAL_MS);
  }
  const wanted = await listed(rig, true);
  for (let left = wanted.length; left > 0; left--) await take();
  expect(items.length).toBe(1 + 1 + wanted.length);
  expect(folded(items)).toEqual(wanted);
  stop.abort();
  await slow.return(undefined);
});

test("[CTL-19] a reader has at most 1,000 sessions: with one more it loses the one that was active longest ago", async () => {
  const { source, infos, clock } = manySessions(NEWS_SESSIONS_MAX);
  const news = new News({ clock, source });
  const stop = new AbortController();
  const scope = { sessions: "all", commands: "all" } as const;
  const reader = news.read({ past: false, scope, signal: stop.signal, atOnce: 1 });
  const next = async () => (await reader.next()).value?.[0];
  const has = new Set<string>();
  for (let item = await next(); item?.kind !== "NewsReady"; item = await next())
    if (item?.kind === "SessionChanged") has.add(item.session);
  expect(has.size).toBe(NEWS_SESSIONS_MAX);
  clock.advanceMs(NEWS_INTERVAL_MS);
  const added = infos(NEWS_SESSIONS_MAX, "2026-02-01T00:00:00Z");
  news.changed(added.log);
  clock.advanceMs(NEWS_GATHER_MS);
  expect(await next()).toMatchObject({ kind: "SessionGone", session: sessionName(0) });
  expect(await next()).toMatchObject({ kind: "SessionChanged", session: added.session });
  stop.abort();
  await reader.return(undefined);
});

test("[CTL-19] readers that come and go leave nothing behind, and nobody is described for them", async () => {
  await using rig = await openNewsRig({ script: [] });
  const { clock } = rig.world;
  const idle = clock.waiting;
  for (let round = 0; round < 50; round++) {
    const readers = [reading(rig), reading(rig, true), reading(rig, false, [rig.session.id])];
    await settle();
    rig.multiplexer.changed(rig.session.logId);
    if (round % 2 === 0) await clock.advance(round);
    await Promise.all(readers.map((reader) => reader.leave()));
    // One that is made and never read.
    rig.multiplexer.news.read({}, asking);
  }
  await settle();
  expect(clock.waiting).toBe(idle);
  rig.multiplexer.changed(rig.session.logId);
  expect(clock.waiting).toBe(idle);
});

test("[CTL-19] a store that fails ends the readers with its error, and the next reader begins again", async () => {
  await using rig = await openNewsRig({ script: [] });
  const reader = reading(rig);
  await reader.ready;
  const { find } = rig.store;
  rig.store.find = () => Promise.reject(new Error("the disk is gone"));
  rig.multiplexer.changed(rig.session.logId);
  await rig.world.clock.advance(NEWS_GATHER_MS);
  await expect(reader.over).rejects.toThrow("the disk is gone");
  rig.store.find = find;
  const next = reading(rig);
  await next.ready;
  expect(next.kinds()).toEqual(["SessionChanged", "NewsReady"]);
  await next.leave();
});

test("[CTL-19] the news end when the engine stops", async () => {
  const rig = await openNewsRig({ script: [] });
  const reader = reading(rig);
  await reader.ready;
  await rig[Symbol.asyncDispose]();
  await reader.over;
  expect(reader.kinds()).toEqual(["SessionChanged", "NewsReady"]);
});

const sessionName = (at: number) => `sess_${`${at}`.padStart(26, "0")}` as SessionId;

/** A source of made-up sessions, the higher the newer, and a clock that the test moves. */
function manySessions(count: number) {
  const all = new Map<string, SessionInfo>();
  const infos = (at: number, updated_at: string): SessionInfo => {
    const log = `log_${`${at}`.padStart(26, "0")}` as SessionInfo["log"];
    const info = { session: sessionName(at), log, live: true, updated_at } as SessionInfo;
    all.set(log, info);
    return info;
  };
  for (let at = 0; at < count; at++) infos(at, `2026-01-01T00:00:00.${`${at}`.padStart(6, "0")}Z`);
  const timers = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  let nowMs = 0;
  const clock = {
    monotonic: () => nowMs,
    timer(ms: number, run: () => void) {
      const timer = { dueMs: nowMs + ms, run };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    advanceMs(ms: number) {
      nowMs += ms;
      for (const timer of [...timers]) if (timer.dueMs <= nowMs && timers.delete(timer)) timer.run();
    },
  };
  const source = {
    listed: async () => ({ logs: [...all.values()].map(({ log }) => log), reached: [] }),
    infosOf: async (logs: readonly string[]) => logs.flatMap((log) => all.get(log) ?? []),
  };
  return { source, infos, clock };
}
