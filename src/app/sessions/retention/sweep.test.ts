import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settle } from "../../../../test/support/fake-clock.ts";
import { LOG_KEY, newLog, texts } from "../../../../test/support/store-rig.ts";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { NOTHING } from "../../../config/config.ts";
import { openSqliteStore } from "../../../session/sqlite/open.ts";
import type { LogInfo, NewLog } from "../../../session/store/store.ts";
import { PROGRAM_FEATURES } from "../../plan/feature-set.ts";
import { IDLE_SWEEP_AFTER_MS, RetentionSweep, SWEEP_AFTER_MS, SWEEP_EVERY_MS, sweep } from "./sweep.ts";

const DAY_MS = 86_400_000;
const signal = new AbortController().signal;

test("[SES-06 R29] a sweep takes what is due in every profile, and nothing that is pinned or open", async () => {
  await using rig = await openRig();
  const [due, pinned, kept, open, gone, broken] = [
    await rig.log("default"),
    await rig.log("default"),
    await rig.log("archive"),
    await rig.log("default"),
    await rig.log("gone"),
    await rig.log("broken"),
  ];
  await rig.store.pin(pinned.logId, true);
  await rig.world.clock.advance(31 * DAY_MS);
  const fresh = await rig.log("default");
  await using _writer = await rig.store.open(open.logId, rig.world.ids.next("sess"), rig.world.machine);
  await sweep(rig, signal);
  const left = async ({ logId }: NewLog) => (await rig.store.events(logId, 0, 9)).length;
  expect(await Promise.all([due, pinned, kept, open, gone, broken, fresh].map(left))).toEqual([
    0, 1, 1, 1, 0, 1, 1,
  ]);
  expect(await rig.store.find(due.logId)).toMatchObject({ lastEvent: 1, model: "replay:model" });
});

test("[SES-06 R29] after a jump of the clock, or very long without use, nothing goes until the clock is two days older", async () => {
  await using rig = await openRig();
  const log = await rig.log("default");
  const left = async () => (await rig.store.events(log.logId, 0, 9)).length;
  const seen: number[] = [];
  for (const days of [400, 1, 1]) {
    await rig.world.clock.advance(days * DAY_MS);
    await rig.log("default");
    await sweep(rig, signal);
    seen.push(await left());
  }
  expect(seen).toEqual([1, 1, 0]);
});

test("[SES-06 PERF-01] the sweep begins once the first request is on its way, and ends with the engine", async () => {
  await using rig = await openRig();
  const log = await rig.log("default");
  await rig.world.clock.advance(31 * DAY_MS);
  const sweeping = new RetentionSweep(rig);
  const ask = () => sweeping.expireContent({} as never, {} as never, () => nothing());
  for await (const _event of ask()) expect(_event).toBeUndefined();
  await settle();
  expect((await rig.store.events(log.logId, 0, 9)).length).toBe(1);
  for await (const _event of ask()) expect(_event).toBeUndefined();
  await rig.world.clock.advance(SWEEP_AFTER_MS);
  await until("old content has expired", async () => (await rig.store.events(log.logId, 0, 9)).length === 0);
  await sweeping[Symbol.asyncDispose]();
  expect((await rig.store.events(log.logId, 0, 9)).length).toBe(0);
});

// Seen red: a session that a killed process had begun to delete stayed on the disk for an hour.
test("[SES-06 SES-18] an engine without requests sweeps soon, and completes what was begun", async () => {
  await using rig = await openRig();
  const log = await rig.log("default");
  await rig.world.clock.advance(31 * DAY_MS);
  await using _sweeping = new RetentionSweep(rig);
  await rig.world.clock.advance(IDLE_SWEEP_AFTER_MS - 1);
  await settle();
  expect((await rig.store.events(log.logId, 0, 9)).length).toBe(1);
  await rig.world.clock.advance(1);
  await until("old content has expired", async () => (await rig.store.events(log.logId, 0, 9)).length === 0);
});

test("[SES-06] an engine that runs on expires each day's content when it is due, also while nobody asks it anything", async () => {
  await using rig = await openRig();
  const sweeping = new RetentionSweep(rig);
  const left = async (log: NewLog) => (await rig.store.events(log.logId, 0, 9)).length;
  for (const days of [0, 40]) {
    await rig.world.clock.advance(days * DAY_MS);
    const log = await rig.log("default");
    await rig.world.clock.advance(29 * DAY_MS);
    await rig.log("default"); // somebody works with this clock
    await rig.world.clock.advance(SWEEP_EVERY_MS);
    expect(await left(log)).toBe(1);
    await rig.world.clock.advance(2 * DAY_MS);
    await until("its content has expired", async () => {
      await rig.world.clock.advance(SWEEP_EVERY_MS);
      return (await left(log)) === 0;
    });
  }
  await sweeping[Symbol.asyncDispose]();
  expect(rig.world.clock.waiting).toBe(0);
});

test("[SES-06] an open session is notified when its log has lost content, by whichever process, and only then", async () => {
  await using rig = await openRig();
  const log = await rig.log("default");
  const told: number[] = [];
  const session = { logId: log.logId, contentExpired: () => void told.push(rig.world.clock.now()) };
  await using _sweeping = new RetentionSweep({ ...rig, running: () => [session] });
  await rig.world.clock.advance(2 * SWEEP_EVERY_MS);
  await settle();
  expect(told).toEqual([]);
  // As another engine on this store does it.
  await rig.store.expire(log.logId, new Date(rig.world.clock.now() + 2 * DAY_MS).toISOString().slice(0, 10));
  await until("it is told", async () => {
    await rig.world.clock.advance(SWEEP_EVERY_MS);
    return told.length > 0;
  });
  for (let hour = 0; hour < 3; hour++) await rig.world.clock.advance(SWEEP_EVERY_MS);
  expect(told).toHaveLength(1);
});

test("[SES-06] an open session is notified even if the store cannot free space, as while another process writes", async () => {
  await using rig = await openRig();
  const log = await rig.log("default");
  const told: string[] = [];
  const session = { logId: log.logId, contentExpired: () => void told.push(log.logId) };
  const store = new Proxy(rig.store, {
    get(target, key) {
      if (key === "maintain") return () => Promise.reject(new Error("the store is busy"));
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await using _sweeping = new RetentionSweep({ ...rig, store, running: () => [session] });
  await rig.store.expire(log.logId, new Date(rig.world.clock.now() + 2 * DAY_MS).toISOString().slice(0, 10));
  await until("it is told", async () => {
    await rig.world.clock.advance(SWEEP_EVERY_MS);
    return told.length > 0;
  });
});

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}

async function openRig() {
  const directory = temporaryDirectory();
  const world = testWorld();
  const paths = {
    config: join(directory.path, "config"),
    data: join(directory.path, "data"),
    state: join(directory.path, "state"),
  };
  mkdirSync(join(paths.config, "profiles"), { recursive: true });
  writeFileSync(
    join(paths.config, "profiles", "archive.toml"),
    'name = "archive"\n[session]\nttl_days = 0\n',
  );
  writeFileSync(join(paths.config, "profiles", "broken.toml"), "name = \n");
  const store = await openSqliteStore({ path: join(paths.data, "sessions.db"), world, logKey: LOG_KEY });
  const config = NOTHING;
  return {
    features: PROGRAM_FEATURES,
    world,
    paths,
    store,
    config,
    async log(profile: string): Promise<NewLog & Pick<LogInfo, "logId">> {
      const log = { ...newLog(world), profile, createdAt: new Date(world.clock.now()).toISOString() };
      await using writer = await store.create(log, world.machine);
      await writer.append({ events: texts(log.session, 1, ["words"]) }, "process");
      return log;
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
