import { expect, test } from "bun:test";
import { reading } from "../../../../test/support/reading.ts";
import type { Rig } from "../../../../test/support/rig.ts";
import { openRig } from "../../../../test/support/rig.ts";
import type { RigPortOptions } from "../../../../test/support/rig-port.ts";
import { rigAnswers } from "../../../../test/support/rig-port.ts";
import { says } from "../../../../test/support/scripted-provider.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import { assertHappened } from "../follow-request.ts";
import type { SessionQuerySources } from "./session-queries.ts";

function answersOf(rig: Rig, sources: RigPortOptions["sources"] = {}) {
  const { handlers, log } = rigAnswers(rig, sources);
  rig.answers(handlers);
  return reading({ query: rig.multiplexer.query, log });
}

test("[CTL-14 SES-06] a log is replayed from where a reader has come to, with a gap where content has expired", async () => {
  await using rig = await openRig({ script: [says("one two three"), says("four")] });
  await rig.send("go");
  await rig.send("on");
  const { id } = rig.session;
  const answers = answersOf(rig);
  expect(await Array.fromAsync(answers.log(id, 0, EVERYTHING))).toEqual(rig.events);
  expect(await Array.fromAsync(answers.log(id, 3, EVERYTHING))).toEqual(rig.events.slice(3));
  const last = rig.events.length;
  expect(await Array.fromAsync(answers.log(id, last, EVERYTHING))).toEqual([]);
  const gapped = async (from: number, to: number) => {
    const { store } = rig;
    const holed: SessionQuerySources["store"] = {
      find: (each) => store.find(each),
      list: (query) => store.list(query),
      markedEvents: (...args) => store.markedEvents(...args),
      eventsBefore: (...args) => store.eventsBefore(...args),
      costs: (...args) => store.costs(...args),
      expired: async () => [{ from, to }],
    };
    const events = await Array.fromAsync(answersOf(rig, { store: holed }).log(id, 0, EVERYTHING));
    return events.map(({ id: at, kind, payload }) => (kind === "StreamGap" ? payload : at));
  };
  const gap = (from: number, to: number) => ({ from, to, reason: "ttl" as const });
  const ids = rig.events.map((event) => event.id);
  expect(await gapped(1, 2)).toEqual([gap(1, 2), ...ids.slice(2)]);
  expect(await gapped(2, 4)).toEqual([1, gap(2, 4), ...ids.slice(4)]);
  expect(await gapped(3, last)).toEqual([1, 2, gap(3, last)]);
});

test("[CTL-15] the tasks of a session are as they were heard of last", async () => {
  let tell: (event: Event) => void = () => undefined;
  await using rig = await openRig({
    script: [says("one")],
    onTell: (given) => {
      tell = given;
    },
  });
  const [first, second] = [rig.world.ids.next("task"), rig.world.ids.next("task")];
  tell({ kind: "TaskChanged", payload: { taskId: first, what: "build", state: "running" } });
  tell({ kind: "TaskChanged", payload: { taskId: second, what: "serve", state: "running" } });
  tell({ kind: "TaskChanged", payload: { taskId: first, what: "build", state: "failed", detail: "exit 1" } });
  await rig.until("TaskChanged", 3);
  const tasks = await answersOf(rig).tasks(rig.session.id, EVERYTHING);
  const ts = new Date(rig.world.clock.now()).toISOString();
  expect(tasks).toEqual([
    { task: first, what: "build", state: "failed", detail: "exit 1", updated_at: ts },
    { task: second, what: "serve", state: "running", updated_at: ts },
  ]);
});

test("[CTL-15 ENG-24] a task without a recorded end does not run once its run has ended", async () => {
  let tell: (event: Event) => void = () => undefined;
  await using rig = await openRig({
    script: [],
    onTell: (given) => {
      tell = given;
    },
  });
  const taskId = rig.world.ids.next("task");
  tell({ kind: "TaskChanged", payload: { taskId, what: "build", state: "running" } });
  await rig.until("TaskChanged");
  await rig.session.end("user");
  expect(await answersOf(rig).tasks(rig.session.id, EVERYTHING)).toMatchObject([
    { task: taskId, state: "stopped", detail: "it ended with the process that ran it" },
  ]);
});

test("[AUTH-07] what lies outside of a scope is not listed, and refused by its id before it is looked for", async () => {
  await using rig = await openRig({ script: [] });
  const { id } = rig.session;
  const answers = answersOf(rig);
  const nobody = rig.world.ids.next("sess");
  const none = { sessions: [], commands: "all" } as const;
  expect(await answers.sessions({ past: true, limit: 10 }, none)).toEqual([]);
  for (const each of [id, nobody])
    await expect(answers.session(each, none)).rejects.toMatchObject({ reason: "Forbidden" });
  await expect(Array.fromAsync(answers.log(id, 0, none))).rejects.toMatchObject({ reason: "Forbidden" });
  await expect(answers.session(nobody, EVERYTHING)).rejects.toMatchObject({ reason: "UnknownSession" });
  const own = { sessions: [id, nobody], commands: "all" } as const;
  expect(await answers.sessions({ past: false, limit: 10 }, own)).toMatchObject([
    { session: id, live: true },
  ]);
});

test("[CTL-15] the last events of a session hold 4 MiB at most: the oldest are left out, never the newest", async () => {
  const long = "x".repeat(2_200_000);
  await using rig = await openRig({ script: [says(long), says(long), says("short")] });
  for (const prompt of ["one", "two", "three"]) await rig.send(prompt);
  const answers = answersOf(rig);
  const whole = [...rig.events];
  const { last_events: kept } = await answers.session(rig.session.id, EVERYTHING, 1_000);
  expect(JSON.stringify(whole).length).toBeGreaterThan(4_194_304);
  expect(kept).toEqual(whole.slice(-kept.length));
  expect(kept.length).toBeLessThan(whole.length);
  expect(JSON.stringify(kept).length).toBeLessThan(4_194_304 + 100);
});

test("[CTL-15 PROV-13] a provider that does not answer is listed after 5 s, with the reason, beside the others", async () => {
  await using rig = await openRig({ script: [] });
  const answers = answersOf(rig, {
    providers: async () => ["slow", "quick"].map((name) => ({ name, configured: true })),
    models: (name) => (name === "slow" ? new Promise(() => undefined) : Promise.resolve([{ id: "one" }])),
  });
  const listed = answers.providerCatalogues();
  await rig.world.clock.advance(5_000);
  expect(await listed).toEqual([
    { name: "slow", configured: true, error: expect.stringContaining("5 s") },
    { name: "quick", configured: true, models: [{ id: "one" }] },
  ]);
});

test("[CTL-14 SES-17] a session that broke off says up to which id clients may have seen events, and that has happened", async () => {
  await using rig = await openRig({ script: [says("one")] });
  await rig.send("go");
  const last = rig.events.length;
  const { store } = rig;
  const broken: SessionQuerySources["store"] = {
    find: async (id) => {
      const info = await store.find(id);
      return info && { ...info, reserved: last + 9 };
    },
    list: (query) => store.list(query),
    markedEvents: (...args) => store.markedEvents(...args),
    eventsBefore: (...args) => store.eventsBefore(...args),
    costs: (...args) => store.costs(...args),
    expired: (id) => store.expired(id),
  };
  const info = await answersOf(rig, { store: broken, live: () => [], running: () => undefined }).session(
    rig.session.id,
    EVERYTHING,
  );
  expect(info).toMatchObject({ live: false, events: last, reserved: last + 9 });
  expect(() => assertHappened(last + 9, info, "since")).not.toThrow();
  expect(() => assertHappened(last + 10, info, "since")).toThrow();
});
