import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeOldStore } from "../../../../test/support/old-store.ts";
import { event, LOG_KEY, newLog, OTHER, turn } from "../../../../test/support/store-rig.ts";
import type { TestWorld } from "../../../../test/support/world.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { LogId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { passesFilter } from "../../search/gram-filter.ts";
import { gramsOf } from "../../search/grams.ts";
import type { ProbedLog } from "../../search/search-index.ts";
import { dayOf } from "../../store/log-facts.ts";
import type { SessionStore } from "../../store/store.ts";
import { StoreConnection } from "../connection.ts";
import { DataKeys } from "../keys/data-keys.ts";
import { openSqliteStore } from "../open.ts";
import { openFilter, segmentsOf, writeSegment } from "./segments.ts";

const DAY_MS = 86_400_000;
const CHILD = join(import.meta.dir, "../../../../test/support/search-child.ts");
const { signal } = new AbortController();

const cleanUps: AsyncDisposable[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp[Symbol.asyncDispose]();
});

interface TestStore {
  readonly path: string;
  readonly world: TestWorld;
  readonly store: SessionStore;
}

async function openPlace(): Promise<TestStore> {
  const directory = temporaryDirectory();
  cleanUps.push(directory);
  const [path, world] = [join(directory.path, "sessions.db"), testWorld()];
  return { path, world, store: await opened({ path, world }) };
}

async function opened({ path, world }: Pick<TestStore, "path" | "world">): Promise<SessionStore> {
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  cleanUps.push(store);
  return store;
}

/** Adds a log of turns with these prompts; `nextDay` is the number of turns after which a day passes. */
async function addLog(
  { world, store }: TestStore,
  prompts: readonly string[],
  nextDay?: number,
): Promise<LogId> {
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  for (const [at, text] of prompts.entries()) {
    if (at === nextDay) await world.clock.advance(DAY_MS);
    const ts = new Date(world.clock.now()).toISOString();
    await writer.append({ events: turn(log.session, 2 * at + 1, { turn: at + 1, text, at: ts }) }, "process");
  }
  return log.logId;
}

/** Returns the parts of all logs that must be read to find a word. */
async function partsFor(store: SessionStore, word: string): Promise<readonly ProbedLog["parts"][]> {
  const probed = (await store.search?.probe({ grams: gramsOf(word), limit: 100 })) ?? [];
  return probed.map(({ parts }) => parts);
}

/** Opens every filter of a log that can be opened, and returns if one of them passes a word. */
function someFilterHolds({ path, world }: TestStore, logId: LogId, word: string): boolean {
  using connection = StoreConnection.open(path, 0);
  const keys = new DataKeys(connection, LOG_KEY.key, (count) => world.random.bytes(count));
  const log = Number(connection.first("SELECT num FROM logs WHERE log_id = ?", logId)?.["num"]);
  return segmentsOf(connection, log).some((segment) =>
    passesFilter(openFilter(keys, logId, segment), gramsOf(word)),
  );
}

function rowsIn(
  path: string,
): readonly { readonly from_event: number; readonly to_event: number; readonly key_id: string }[] {
  using database = new Database(path);
  return database
    .query("SELECT from_event, to_event, key_id FROM search_segments ORDER BY log, from_event")
    .all() as never;
}

function change(path: string, sql: string): void {
  using database = new Database(path);
  database.run(sql);
}

test("[CTL-19] a log that is indexed is read only for words that it may hold", async () => {
  const place = await openPlace();
  const logId = await addLog(place, ["the quick brown fox", "jumps over"]);
  expect(await partsFor(place.store, "zebra")).toEqual([[{ from: 1, to: 4 }]]);
  expect(await place.store.search?.index(logId, signal)).toBe(true);
  expect(await partsFor(place.store, "zebra")).toEqual([[]]);
  expect(await partsFor(place.store, "jumps")).toEqual([[{ from: 1, to: 4 }]]);
  expect(await place.store.search?.index(logId, signal)).toBe(false);
});

test("[CTL-19] a part outside of the times is not read", async () => {
  const place = await openPlace();
  const logId = await addLog(place, ["alpha", "beta"]);
  await place.store.search?.index(logId, signal);
  const at = new Date(place.world.clock.now()).toISOString();
  const probe = { grams: gramsOf("alpha"), limit: 9 };
  const parts = async (times: { readonly from?: string; readonly below?: string }) =>
    (await place.store.search?.probe({ ...probe, ...times }))?.map((each) => each.parts.length);
  expect(await parts({ from: at })).toEqual([1]);
  expect(await parts({ from: "2099-01-01T00:00:00.000Z" })).toEqual([0]);
  expect(await parts({ below: at })).toEqual([0]);
});

test("[CTL-19 SES-04] the index holds no text in the clear, and no filter", async () => {
  const place = await openPlace();
  const logId = await addLog(place, ["peculiarword"]);
  await place.store.search?.index(logId, signal);
  let filter: Uint8Array = new Uint8Array();
  {
    using connection = StoreConnection.open(place.path, 0);
    const keys = new DataKeys(connection, LOG_KEY.key, (count) => place.world.random.bytes(count));
    const [segment] = segmentsOf(connection, 1);
    if (segment === undefined) throw new Error("it is indexed");
    filter = openFilter(keys, logId, segment);
  }
  const files = [place.path, `${place.path}-wal`].map((path) => readFileSync(path));
  for (const bytes of files) {
    expect(bytes.includes("peculiarword")).toBe(false);
    expect(bytes.includes(filter.subarray(0, 64))).toBe(false);
  }
});

test("[CTL-19 SES-06] a filter over two days opens with the key of the first, so that none is left of what has expired", async () => {
  const place = await openPlace();
  const logId = await addLog(place, ["oldsecret", "newwords"], 1);
  await place.store.search?.index(logId, signal);
  expect(someFilterHolds(place, logId, "oldsecret")).toBe(true);
  const [before] = rowsIn(place.path);
  await place.store.expire(logId, dayOf(new Date(place.world.clock.now()).toISOString()));
  // The row is still there, and the key that would open it is gone.
  expect(rowsIn(place.path)).toEqual(before === undefined ? [] : [before]);
  using database = new Database(place.path);
  expect(database.query("SELECT wrapped FROM data_keys WHERE key_id = ?").get(before?.key_id ?? "")).toEqual({
    wrapped: null,
  });
  expect(await partsFor(place.store, "oldsecret")).toEqual([[{ from: 3, to: 4 }]]);
  expect(await place.store.search?.index(logId, signal)).toBe(true);
  expect(someFilterHolds(place, logId, "oldsecret")).toBe(false);
  expect(someFilterHolds(place, logId, "newwords")).toBe(true);
  expect(rowsIn(place.path).map(({ from_event }) => from_event)).toEqual([3]);
});

test("[CTL-19 SES-06] maintenance removes filters whose content has expired, and deletion all of a log", async () => {
  const place = await openPlace();
  const [expired, deleted] = [await addLog(place, ["one"]), await addLog(place, ["two"])];
  for (const logId of [expired, deleted]) await place.store.search?.index(logId, signal);
  await place.world.clock.advance(DAY_MS);
  await place.store.expire(expired, dayOf(new Date(place.world.clock.now()).toISOString()));
  await place.store.maintain(signal);
  expect(rowsIn(place.path)).toHaveLength(1);
  await place.store.delete(deleted);
  expect(rowsIn(place.path)).toEqual([]);
  expect(await Array.fromAsync(place.store.check("full", signal))).toEqual([]);
});

test("[CTL-19 SES-06] a filter of content that has expired since it was read is not written", async () => {
  const place = await openPlace();
  const logId = await addLog(place, ["oldsecret", "newwords"], 1);
  await place.store.expire(logId, dayOf(new Date(place.world.clock.now()).toISOString()));
  using connection = StoreConnection.open(place.path, 0);
  const keys = new DataKeys(connection, LOG_KEY.key, (count) => place.world.random.bytes(count));
  const facts = { from: 1, to: 4, fromTs: "a", toTs: "b" };
  const write = (expired: ProbedLog["expired"]) =>
    connection.transaction("process", () =>
      writeSegment(connection, keys, { log: 1, logId, expired, facts, filter: new Uint8Array(8) }),
    );
  expect(write([])).toBe(false);
  expect(rowsIn(place.path)).toEqual([]);
  expect(write([{ from: 1, to: 2 }])).toBe(true);
  expect(write([{ from: 1, to: 2 }])).toBe(false); // another process was first
});

test("[CTL-19] a damaged part of the index is reported, read around, and made again", async () => {
  const damages = [
    "UPDATE search_segments SET filter = zeroblob(200) WHERE log = 1",
    "UPDATE search_segments SET filter = x'' WHERE log = 1",
    "UPDATE search_segments SET to_event = to_event + 2, from_ts = '2000' WHERE log = 1",
    "UPDATE search_segments SET to_event = 2 WHERE log = 1",
    "UPDATE search_segments SET from_event = 3 WHERE log = 1",
    "UPDATE search_segments SET from_ts = '2099' WHERE log = 1",
    "UPDATE search_segments SET filter = (SELECT filter FROM search_segments WHERE log = 2) WHERE log = 1",
  ];
  for (const damage of damages) {
    const place = await openPlace();
    const [logId, other] = [await addLog(place, ["alpha", "beta"]), await addLog(place, ["gamma", "delta"])];
    for (const each of [logId, other]) await place.store.search?.index(each, signal);
    expect(await Array.fromAsync(place.store.check("full", signal))).toEqual([]);
    change(place.path, damage);
    expect({ damage, found: await Array.fromAsync(place.store.check("full", signal)) }).toMatchObject({
      damage,
      found: [{ kind: "index", weight: "note", logId }],
    });
    const [, parts = []] = await partsFor(place.store, "alpha");
    expect({ damage, from: parts[0]?.from }).toEqual({ damage, from: 1 });
    await place.store.search?.index(logId, signal);
    expect({ damage, holds: someFilterHolds(place, logId, "alpha") }).toEqual({ damage, holds: true });
    expect(await partsFor(place.store, "zebra")).toEqual([[], []]);
    expect(await Array.fromAsync(place.store.check("full", signal))).toEqual([]);
  }
});

test("[CTL-19] a table of the index that cannot be read costs time only", async () => {
  const place = await openPlace();
  const logId = await addLog(place, ["alpha"]);
  await place.store.search?.index(logId, signal);
  change(place.path, "ALTER TABLE search_segments RENAME COLUMN filter TO other");
  expect(await partsFor(place.store, "alpha")).toEqual([[{ from: 1, to: 2 }]]);
});

test("[CTL-19] two processes that index one store at once make no part twice", async () => {
  const place = await openPlace();
  const prompts = Array.from({ length: 700 }, (_, at) => `prompt ${at}`);
  const logId = await addLog(place, prompts);
  const other = await opened(place);
  await Promise.all([place.store.search?.index(logId, signal), other.search?.index(logId, signal)]);
  const rows = rowsIn(place.path);
  expect(rows.length).toBeGreaterThan(1);
  let next = 1;
  for (const { from_event, to_event } of rows) {
    expect(from_event).toBe(next);
    next = to_event + 1;
  }
  expect(next).toBe(1_401);
  for (const store of [place.store, other]) expect(await partsFor(store, "zebra")).toEqual([[]]);
});

test("[CTL-19] a log that a living process writes is indexed but for its end, where items may be open", async () => {
  const place = await openPlace();
  const log = newLog(place.world);
  const writer = await place.store.create(log, OTHER);
  const events: Envelope[] = [];
  for (let at = 0; at < 300; at++)
    events.push(...turn(log.session, 2 * at + 1, { turn: at + 1, text: `p${at}`, at: log.createdAt }));
  events.push(event(log.session, 601, { kind: "TextDelta", payload: { text: "half a wo" } }));
  await writer.append({ events }, "process");
  const alive = { ...place.world, machine: { ...place.world.machine, isAlive: () => true } };
  const reader = await opened({ path: place.path, world: alive });
  expect(await reader.search?.index(log.logId, signal)).toBe(true);
  expect(await partsFor(reader, "zebra")).toEqual([[{ from: 513, to: 601 }]]);
  await writer.append(
    { events: [event(log.session, 602, { kind: "TextDelta", payload: { text: "rd" } })] },
    "process",
  );
  await writer[Symbol.asyncDispose]();
  await place.store.search?.index(log.logId, signal);
  // The text may still go on in another run, so it stays outside.
  expect(await partsFor(place.store, "zebra")).toEqual([[{ from: 601, to: 602 }]]);
});

test("[CTL-19] a process that is killed while it indexes leaves a store without damage, and the next one continues", async () => {
  const place = await openPlace();
  const logs: LogId[] = [];
  for (let log = 0; log < 12; log++)
    logs.push(
      await addLog(
        place,
        Array.from({ length: 300 }, (_, at) => `prompt ${at} of ${log}`),
      ),
    );
  for (const killedAt of [1, 3, 7]) {
    const child = Bun.spawn([process.execPath, CHILD, place.path], { stdout: "pipe", stderr: "inherit" });
    const reader = child.stdout.getReader();
    let printed = "";
    while (printed.split("\n").length <= killedAt) {
      const { value, done } = await reader.read();
      if (done) break;
      printed += new TextDecoder().decode(value);
    }
    child.kill("SIGKILL");
    await child.exited;
    expect(await Array.fromAsync(place.store.check("full", signal))).toEqual([]);
  }
  for (const logId of logs) await place.store.search?.index(logId, signal);
  expect((await partsFor(place.store, "zebra")).flat()).toEqual([]);
  expect((await partsFor(place.store, "prompt")).filter((parts) => parts.length > 0)).toHaveLength(12);
}, 120_000);

test("[CTL-19] once a store was searched, maintenance indexes what came since; before, it indexes nothing", async () => {
  const place = await openPlace();
  const first = await addLog(place, ["alpha"]);
  await place.store.maintain(signal);
  expect(rowsIn(place.path)).toEqual([]);
  await place.store.search?.index(first, signal);
  await addLog(place, ["beta"]);
  await place.store.maintain(signal);
  expect(await partsFor(place.store, "zebra")).toEqual([[], []]);
});

test("[CTL-19] all logs are indexed in the background", async () => {
  const place = await openPlace();
  for (let log = 0; log < 5; log++) await addLog(place, [`prompt of ${log}`]);
  await place.store.search?.indexAll();
  await place.store.search?.indexAll(); // it runs already
  await place.world.clock.armed();
  await place.world.clock.advance(1); // the pauses take no time by this clock
  expect((await partsFor(place.store, "zebra")).flat()).toEqual([]);
});

test("[CTL-19] closing a store ends the indexing in the background", async () => {
  const place = await openPlace();
  for (let log = 0; log < 3; log++) await addLog(place, [`prompt of ${log}`]);
  await place.store.search?.indexAll();
  await place.world.clock.armed();
  await place.store[Symbol.asyncDispose]();
  expect(rowsIn(place.path)).toHaveLength(1);
});

test("[CTL-19 SES-02] a store of an older version gets an index too, under its older keys", async () => {
  const directory = temporaryDirectory();
  cleanUps.push(directory);
  const [path, world] = [join(directory.path, "sessions.db"), testWorld()];
  const { logId } = makeOldStore({ path, events: 4, version: 3 }, world);
  const store = await opened({ path, world });
  expect(await store.search?.index(logId, signal)).toBe(true);
  expect(await partsFor(store, "zebra")).toEqual([[]]);
  expect((await Array.fromAsync(store.check("full", signal))).filter(({ kind }) => kind === "index")).toEqual(
    [],
  );
});
