import { expect, test } from "bun:test";
import { openRig } from "../../../test/support/rig.ts";
import { says } from "../../../test/support/scripted-provider.ts";
import { CacheBudget } from "../../base/cache-budget.ts";
import type { Event } from "../../protocol/events/events.ts";
import { EVERYTHING } from "../../session/access/scope.ts";
import type { CatalogueSources } from "./catalogue.ts";
import { openCatalogue } from "./catalogue.ts";
import { withLastEvents } from "./last-events.ts";

type Rig = Awaited<ReturnType<typeof openRig>>;

function catalogueOf(rig: Rig, more: Partial<CatalogueSources> = {}) {
  return openCatalogue({
    world: rig.world,
    store: rig.store,
    version: "0.0.0",
    caches: new CacheBudget(),
    live: () => rig.multiplexer.sessions,
    profiles: async () => [],
    profile: async () => undefined,
    providers: async () => [],
    models: async () => [],
    tools: async () => [],
    skills: () => [],
    mcpServers: () => [],
    slashCommands: () => [],
    ...more,
  });
}

test("[CTL-14 SES-06] a log is told from where a reader has come to, with a gap where content has expired", async () => {
  await using rig = await openRig({ script: [says("one two three"), says("four")] });
  await rig.send("go");
  await rig.send("on");
  const { id } = rig.session;
  const catalogue = catalogueOf(rig);
  expect(await Array.fromAsync(catalogue.log(id, 0, EVERYTHING))).toEqual(rig.events);
  expect(await Array.fromAsync(catalogue.log(id, 3, EVERYTHING))).toEqual(rig.events.slice(3));
  const last = rig.events.length;
  expect(await Array.fromAsync(catalogue.log(id, last, EVERYTHING))).toEqual([]);
  const gapped = async (from: number, to: number) => {
    const { store } = rig;
    const holed: CatalogueSources["store"] = {
      find: (each) => store.find(each),
      list: (query) => store.list(query),
      markedEvents: (...args) => store.markedEvents(...args),
      expired: async () => [{ from, to }],
    };
    const events = await Array.fromAsync(catalogueOf(rig, { store: holed }).log(id, 0, EVERYTHING));
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
  const tasks = await catalogueOf(rig).tasks(rig.session.id, EVERYTHING);
  const ts = new Date(rig.world.clock.now()).toISOString();
  expect(tasks).toEqual([
    { task: first, what: "build", state: "failed", detail: "exit 1", updated_at: ts },
    { task: second, what: "serve", state: "running", updated_at: ts },
  ]);
});

test("[CTL-15 ENG-24] a task that nobody told the end of does not run once its run is gone", async () => {
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
  expect(await catalogueOf(rig).tasks(rig.session.id, EVERYTHING)).toMatchObject([
    { task: taskId, state: "stopped", detail: "it ended with the process that ran it" },
  ]);
});

test("[AUTH-07] what lies outside of a scope is not listed, and refused by its id before it is looked for", async () => {
  await using rig = await openRig({ script: [] });
  const { id } = rig.session;
  const catalogue = catalogueOf(rig);
  const nobody = rig.world.ids.next("sess");
  const none = { sessions: [], commands: "all" } as const;
  expect(await catalogue.sessions({ past: true, limit: 10 }, none)).toEqual([]);
  for (const each of [id, nobody])
    await expect(catalogue.session(each, none)).rejects.toMatchObject({ reason: "Forbidden" });
  await expect(Array.fromAsync(catalogue.log(id, 0, none))).rejects.toMatchObject({ reason: "Forbidden" });
  await expect(catalogue.session(nobody, EVERYTHING)).rejects.toMatchObject({ reason: "UnknownSession" });
  const own = { sessions: [id, nobody], commands: "all" } as const;
  expect(await catalogue.sessions({ past: false, limit: 10 }, own)).toMatchObject([
    { session: id, live: true },
  ]);
});

test("[CTL-15] the last events of a session hold 4 MiB at most: the oldest are left out, never the newest", async () => {
  const long = "x".repeat(2_200_000);
  await using rig = await openRig({ script: [says(long), says(long), says("short")] });
  for (const prompt of ["one", "two", "three"]) await rig.send(prompt);
  const catalogue = catalogueOf(rig);
  const info = await catalogue.session(rig.session.id, EVERYTHING);
  const whole = [...rig.events];
  const { last_events: kept } = await withLastEvents(catalogue, info, { count: 1_000, scope: EVERYTHING });
  expect(JSON.stringify(whole).length).toBeGreaterThan(4_194_304);
  expect(kept).toEqual(whole.slice(-kept.length));
  expect(kept.length).toBeLessThan(whole.length);
  expect(JSON.stringify(kept).length).toBeLessThan(4_194_304 + 100);
});

test("[CTL-15 PROV-13] a provider that does not answer is listed after 5 s, with the reason, beside the others", async () => {
  await using rig = await openRig({ script: [] });
  const catalogue = catalogueOf(rig, {
    providers: async () => ["slow", "quick"].map((name) => ({ name, configured: true })),
    models: (name) => (name === "slow" ? new Promise(() => undefined) : Promise.resolve([{ id: "one" }])),
  });
  const listed = catalogue.providerCatalogues(new AbortController().signal);
  await rig.world.clock.advance(5_000);
  expect(await listed).toEqual([
    { name: "slow", configured: true, error: expect.stringContaining("5 s") },
    { name: "quick", configured: true, models: [{ id: "one" }] },
  ]);
});
