import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { event, LOG_KEY, newLog, says, texts } from "../../../../test/support/store-rig.ts";
import type { TestWorld } from "../../../../test/support/world.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { SessionStore } from "../../store/store.ts";
import { openSqliteStore } from "../open.ts";

const DAY_MS = 86_400_000;
const KEPT_FACTOR_MAX = 1.2;
const signal = new AbortController().signal;

const cleanUps: AsyncDisposable[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp[Symbol.asyncDispose]();
});

test("[SES-06 R17] after expiry and deletion the file is hardly larger than what is left in it, and the rest unchanged", async () => {
  const { world, path, store } = await openPlace();
  const logs = [];
  for (let index = 0; index < 4; index++) logs.push(await longLog(world, store));
  const before = await Promise.all(logs.map(({ logId }) => store.markedEvents(logId, 0, 9_999)));
  const [expired, deleted, kept, mixed] = logs;
  if (!expired || !deleted || !kept || !mixed) throw new Error("there are four logs");
  const lastDay = new Date(world.clock.now()).toISOString().slice(0, 10);
  await store.expire(expired.logId, lastDay);
  await store.delete(deleted.logId);
  await store.expire(mixed.logId, mixed.createdAt.slice(0, 10));
  const { bytesBefore, bytesAfter } = await store.maintain(signal);
  expect(bytesAfter).toBeLessThan(bytesBefore * 0.7);
  const live = vacuumed(path);
  expect(statSync(path).size / live).toBeLessThan(KEPT_FACTOR_MAX);
  expect(walBytes(path)).toBe(0);
  expect(await store.markedEvents(kept.logId, 0, 9_999)).toEqual(before[2] ?? []);
  expect(await store.markedEvents(mixed.logId, 0, 9_999)).toEqual(before[3] ?? []);
  expect((await store.events(expired.logId, 0, 9_999)).map(({ id }) => id)).toEqual(
    (before[0] ?? []).filter(({ ts }) => ts.startsWith(lastDay)).map(({ id }) => id),
  );
  expect(await Array.fromAsync(store.check("full", signal))).toEqual([]);
});

test("[PERF-02 R17] maintenance writes back the log of a new store, and leaves a short one beside a larger file", async () => {
  const { world, path, store } = await openPlace();
  await longLog(world, store);
  await store.maintain(signal);
  expect(walBytes(path)).toBe(0);
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  await writer.append({ events: texts(log.session, 1, ["a"]) }, "process");
  const bytes = walBytes(path);
  await store.maintain(signal);
  expect([bytes > 0, walBytes(path)]).toEqual([true, bytes]);
});

test("[SES-06 S54] of what has expired no key is left: not in the file, not in its write-ahead log, not in a copy", async () => {
  const { world, path, store } = await openPlace();
  const [gone, stays] = [await longLog(world, store), await longLog(world, store)];
  const copy = `${path}.backup-v2`;
  {
    const database = new Database(path);
    database.run(`VACUUM INTO '${copy}'`);
    database.close();
  }
  const keys = wrappedKeys(path);
  const ofGone = keys.filter(({ log }) => log === gone.logId);
  const rest = keys.filter(({ log }) => log === stays.logId);
  expect([ofGone.length, rest.length]).toEqual([2, 2]);
  await world.clock.advance(DAY_MS);
  await store.expire(gone.logId, new Date(world.clock.now()).toISOString().slice(0, 10));
  for (const file of [path, `${path}-wal`, copy]) {
    const bytes = Buffer.from(readFileSync(file));
    expect(ofGone.filter(({ wrapped }) => bytes.includes(wrapped))).toEqual([]);
    if (file !== `${path}-wal`) expect(rest.every(({ wrapped }) => bytes.includes(wrapped))).toBe(true);
  }
});

test("[SES-06 SES-16 R29] a log with a key that cannot be opened is left as it is, and said to be damaged", async () => {
  const { world, path, store } = await openPlace();
  const log = await longLog(world, store);
  await world.clock.advance(DAY_MS);
  {
    const database = new Database(path);
    database.run(
      "UPDATE data_keys SET wrapped = zeroblob(60) WHERE key_id = (SELECT min(key_id) FROM data_keys)",
    );
    database.close();
  }
  await store[Symbol.asyncDispose]();
  await using again = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const today = new Date(world.clock.now()).toISOString().slice(0, 10);
  await expect(again.expire(log.logId, today)).rejects.toThrow("is not expired");
  expect(await again.expired(log.logId)).toEqual([]);
  const found = await Array.fromAsync(again.check("full", signal));
  expect(found.map(({ kind, logId }) => ({ kind, logId }))).toContainEqual({
    kind: "unreadable",
    logId: log.logId,
  });
});

test("[SES-06 R17] maintenance that is stopped continues the next time, and deleted logs stay unseen meanwhile", async () => {
  const { world, path, store } = await openPlace();
  const [expired, deleted] = [await longLog(world, store), await longLog(world, store)];
  await world.clock.advance(DAY_MS);
  await store.expire(expired.logId, new Date(world.clock.now()).toISOString().slice(0, 10));
  {
    const database = new Database(path);
    database.run("UPDATE logs SET deleted = 1 WHERE log_id = ?", [deleted.logId]); // and the process died
    database.close();
  }
  expect(await store.find(deleted.logId)).toBeUndefined();
  expect((await store.list({ limit: 9 })).map(({ logId }) => logId)).toEqual([expired.logId]);
  await store.maintain(AbortSignal.abort());
  expect(rowsOf(path, "events")).toBe(2 * EVENTS);
  await store.maintain(signal);
  expect(rowsOf(path, "events")).toBe(EVENTS);
  expect(rowsOf(path, "events WHERE content IS NOT NULL")).toBe(0);
  expect((await store.markedEvents(expired.logId, 0, 9_999)).length).toBe(EVENTS);
});

const EVENTS = 4_000;

interface StoreRig {
  readonly world: TestWorld;
  readonly path: string;
  readonly store: SessionStore;
}

async function openPlace(): Promise<StoreRig> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  cleanUps.push(store, directory);
  return { world, path, store };
}

/** A log of two days, of which the second is the day before the next one's first. */
async function longLog(world: TestWorld, store: SessionStore) {
  const log = { ...newLog(world), createdAt: new Date(world.clock.now()).toISOString() };
  await using writer = await store.create(log, world.machine);
  for (let from = 1; from <= EVENTS; from += 100) {
    if (from === EVENTS / 2 + 1) await world.clock.advance(DAY_MS);
    const ts = new Date(world.clock.now()).toISOString();
    const callId = world.ids.next("call");
    const long = [{ type: "text" as const, text: `long ${"output ".repeat(800)}` }];
    const events = [
      ...texts(
        log.session,
        from,
        Array.from({ length: 99 }, (_, at) => `${at} ${"words ".repeat(45)}`),
      ),
      event(log.session, from + 99, { kind: "ToolResult", payload: { callId, content: long } }),
    ].map((event) => ({ ...event, ts }));
    const messages = [{ after: from, turn: 1, message: says("user", "something ".repeat(200)) }];
    await writer.append({ events, messages }, "process");
  }
  return log;
}

function vacuumed(path: string): number {
  const target = `${path}.whole`;
  const database = new Database(path);
  database.run(`VACUUM INTO '${target}'`);
  database.close();
  return statSync(target).size;
}

function walBytes(path: string): number {
  return statSync(`${path}-wal`).size;
}

function rowsOf(path: string, what: string): number {
  const database = new Database(path);
  const row = database.query(`SELECT count(*) AS count FROM ${what}`).get();
  database.close();
  return Number(Object(row).count);
}

function wrappedKeys(path: string): { readonly log: string; readonly wrapped: Uint8Array }[] {
  const database = new Database(path);
  const rows = database
    .query("SELECT log_id AS log, wrapped FROM data_keys JOIN logs ON logs.num = data_keys.log")
    .all();
  database.close();
  return rows as { log: string; wrapped: Uint8Array }[];
}
