import { expect, test } from "bun:test";
import { hasReason } from "../../src/base/errors.ts";
import { sessionStoreContract } from "../contracts/session-store.ts";
import { chance } from "../support/chance.ts";
import { newLog, texts } from "../support/store-rig.ts";
import { testWorld } from "../support/world.ts";
import { SimDisk } from "./disk.ts";
import { runSeed } from "./run.ts";
import type { SimProcess } from "./scheduler.ts";

/** Seeds that are played each time; those after them are other ones each time. */
const FIXED_SEEDS = 150;
const NEW_SEEDS = 50;
/** Time limit that finds an endless run, also on a busy machine. */
const TIMEOUT_MS = 300_000;

test(
  "[REL-05 REL-02 ENG-18 R26] nothing acknowledged is lost, nothing done twice, and every turn ends, whatever fails",
  async () => {
    const first = Date.now() % 1_000_000_000;
    const news = Array.from({ length: NEW_SEEDS }, (_, at) => first + at);
    const seeds = [...Array.from({ length: FIXED_SEEDS }, (_, at) => at + 1), ...news];
    let events = 0;
    for (const seed of seeds) {
      const report = await runSeed(seed);
      expect({ seed, violations: report.violations }).toEqual({ seed, violations: [] });
      events += report.events;
    }
    expect(events).toBeGreaterThan(20 * seeds.length);
  },
  TIMEOUT_MS,
);

test(
  "[REL-05] a seed is the same run each time it is played",
  async () => {
    for (const seed of [3, 71, 208]) {
      const [one, other] = [await runSeed(seed), await runSeed(seed)];
      expect(one.trace).toEqual(other.trace);
      expect(one.log).toEqual(other.log);
      expect(one.log.length).toBeGreaterThan(5);
    }
  },
  TIMEOUT_MS,
);

test(
  "[REL-05] a disk that says that it has synced, and has not, is found out",
  async () => {
    const found: string[] = [];
    for (let seed = 1; seed <= 100; seed++) {
      const { violations } = await runSeed(seed, { diskLies: true });
      found.push(...violations);
    }
    expect(found.filter((what) => what.includes("was accepted and is lost")).length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

/** A process that never waits and is never killed. */
const STEADY: SimProcess = {
  pid: process.pid,
  alive: true,
  clock: testWorld().clock,
  timers: 0,
  waiting: 0,
  pause: () => Promise.resolve(),
};

sessionStoreContract("simulated", async (world) =>
  new SimDisk(chance(1), (pid) => world.machine.isAlive(pid, world.machine.processStart)).open(STEADY),
);

test("[REL-05 SES-07] the simulated disk forgets what was not synced when the power goes, and keeps the rest", async () => {
  const world = testWorld();
  const disk = new SimDisk(chance(1), () => false);
  const log = newLog(world);
  const writer = await disk.open(STEADY).create(log, world.machine);
  await writer.append({ events: texts(log.session, 1, ["kept", "kept too"]) }, "process");
  await writer.append({}, "power");
  await writer.append({ events: texts(log.session, 3, ["lost"]) }, "process");
  await disk.losePower();
  expect((await disk.content.events(log.logId, 0, 9)).map(({ id }) => id)).toEqual([1, 2]);

  const again = await disk.open(STEADY).open(log.logId, world.ids.next("sess"), world.machine);
  disk.faults.full = true;
  const refused = again.append({ events: texts(log.session, 3, ["no room"]) }, "process");
  expect(await refused.catch((thrown: unknown) => hasReason(thrown, "StoreUnwritable"))).toBe(true);
  disk.faults.full = false;
  await again.append({ events: texts(log.session, 3, ["room again"]) }, "process");
});
