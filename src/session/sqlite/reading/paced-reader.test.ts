import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { event, LOG_KEY, newLog } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { nextTurn } from "../../../base/async/next-turn.ts";
import { openSqliteStore } from "../open.ts";
import { LoopShare } from "./loop-share.ts";

/** Events of the log, and logs of the store. */
const EVENTS = 400;
const LOGS = 200;

/** Each look at the clock takes a millisecond: how many turns a read takes does not depend on the machine. */
function steppingWorld() {
  const world = testWorld();
  let nowMs = 0;
  const monotonic = () => {
    nowMs += 1;
    return nowMs;
  };
  return { ...world, clock: { ...world.clock, monotonic } };
}

/** Counts the turns of the event loop while work runs. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test("[CTL-19] other work has its turn while a long log, or a long list, is read", async () => {
  await using directory = temporaryDirectory();
  const world = steppingWorld();
  const path = join(directory.path, "sessions.db");
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const log = newLog(world);
  {
    await using writer = await store.create(log, world.machine);
    const events = Array.from({ length: EVENTS }, (_, at) =>
      event(log.session, at + 1, { kind: "TextDelta", payload: { text: `${at}` } }),
    );
    await writer.append({ events }, "process");
  }
  for (let other = 1; other < LOGS; other++) {
    await using _writer = await store.create(newLog(world), world.machine);
  }
  const { logId } = log;
  const ids = (events: readonly { readonly id: number }[]) => events.map(({ id }) => id);
  const all = Array.from({ length: EVENTS }, (_, at) => at + 1);
  const reads: Readonly<Record<string, () => Promise<unknown>>> = {
    events: async () => expect(ids(await store.events(logId, 0, 1_000))).toEqual(all),
    markedEvents: async () => expect(ids(await store.markedEvents(logId, 0, 1_000))).toEqual(all),
    "markedEvents to a limit": async () =>
      expect(ids(await store.markedEvents(logId, 5, 300))).toEqual(all.slice(5, 305)),
    "markedEvents of a kind": async () =>
      expect(ids(await store.markedEvents(logId, 0, 1_000, ["TextDelta"]))).toEqual(all),
    eventsBefore: async () =>
      expect(ids(await store.eventsBefore(logId, 350, 300))).toEqual(all.slice(50, 350)),
    list: async () => expect(await store.list({ limit: 1_000 })).toHaveLength(LOGS),
    names: async () => expect(await store.names?.({ limit: 1_000 })).toHaveLength(LOGS),
    "find, by many at once": () => Promise.all(Array.from({ length: LOGS }, () => store.find(logId))),
  };
  for (const [name, read] of Object.entries(reads)) {
    const turns = await turnsOf(read);
    expect([name, turns > 1]).toEqual([name, true]);
  }
});

// Seen red: such a session was listed with the title «unreadable».
test("[CTL-19 SES-06] a session that another process deletes while a list is read is in it whole, or not at all", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = steppingWorld();
  const first = await makeTitled(path, world);
  for (const ask of ["list", "names"] as const) {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    const listing = store[ask]?.({ limit: 1_000 });
    const database = new Database(path);
    database.run("BEGIN; UPDATE data_keys SET wrapped = NULL; UPDATE logs SET deleted = 1; COMMIT");
    database.close();
    const titles = (await listing)?.map(({ title }) => title) ?? [];
    expect(titles.length).toBeLessThan(LOGS);
    expect(titles.filter((title) => title !== first)).toEqual([]);
    expect(await store[ask]?.({ limit: 1_000 })).toEqual([]);
    if (ask === "list") await makeTitled(path, world);
  }
});

// Seen red: RangeError: Cannot use a closed database.
test("[CTL-19 SES-01] a store that is closed while it is read says so in its own words", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = steppingWorld();
  await makeTitled(path, world);
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const { logId } = newLog(world);
  const asked: Readonly<Record<string, Promise<unknown>>> = {
    list: store.list({ limit: 1_000 }),
    names: store.names?.({ limit: 1_000 }) ?? Promise.resolve(),
    find: Promise.all(Array.from({ length: LOGS }, () => store.find(logId))),
  };
  const ends = Promise.allSettled(Object.values(asked));
  await store[Symbol.asyncDispose]();
  for (const end of await ends)
    expect(end).toMatchObject({ status: "rejected", reason: { reason: "StoreBusy" } });
  await expect(store.list({ limit: 1 })).rejects.toMatchObject({ reason: "StoreBusy" });
});

/** Makes `LOGS` logs with a title, which it returns. */
async function makeTitled(path: string, world: ReturnType<typeof steppingWorld>): Promise<string> {
  const text = "a title";
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  for (let made = 0; made < LOGS; made++) {
    const log = newLog(world);
    await using _writer = await store.create(log, world.machine);
    await store.notes?.rename(log.logId, { text, ts: "2026-01-01T00:00:00.000Z" });
  }
  return text;
}

test("[CTL-19] the reads of one turn of the event loop share its time, and wait for the next in their order", async () => {
  let nowMs = 0;
  const share = new LoopShare({ monotonic: () => nowMs });
  const order: string[] = [];
  const reader = async (name: string) => {
    for (let read = 0; read < 3; read++) {
      for (let { wait } = share; wait !== undefined; { wait } = share) await wait;
      order.push(`${name}${read}`);
      nowMs += 3;
      await undefined; // as after each read
    }
  };
  const all = Promise.all([reader("a"), reader("b")]);
  for (let turn = 1; order.length < 6; turn++) {
    for (let hop = 0; hop < 20; hop++) await undefined;
    expect(order.length).toBeLessThanOrEqual(2 * turn);
    await nextTurn();
  }
  await all;
  expect(order).toEqual(["a0", "b0", "a1", "b1", "a2", "b2"]);
});
