import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOG_KEY, newLog, reasonOf, texts, thrownBy } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { hasReason } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import { hostClock } from "../../../platform/clock.ts";
import { openSqliteStore } from "../open.ts";
import type { Migration } from "./migrations.ts";
import { MIGRATIONS } from "./migrations.ts";

const world = testWorld();
/** The version of the built-in schema. */
const NOW = MIGRATIONS.length;
const [next, afterNext] = [
  migration("CREATE TABLE added (x)"),
  migration("CREATE TABLE added_later (x)"),
] as const;
const UPGRADED: readonly Migration[] = [...MIGRATIONS, { ...next, version: NOW + 1 }];
const TWICE: readonly Migration[] = [...UPGRADED, { ...afterNext, version: NOW + 2 }];

test("[SES-02] each migration is in the ledger with its time and the hash of its text", async () => {
  await using sample = await makeStore();
  using database = new Database(sample.path, { readonly: true });
  expect(database.query("SELECT * FROM schema_migrations").all()).toEqual(
    MIGRATIONS.map(({ version, sql }) => ({
      version,
      applied_at: new Date(world.clock.now()).toISOString(),
      sha256: new Bun.CryptoHasher("sha256").update(sql).digest("hex"),
    })),
  );
});

test("[SES-02] an older store is upgraded with what it holds, after it was copied; the upgrade is shown", async () => {
  await using sample = await makeStore();
  const shown: string[] = [];
  const onUpgrade = (from: number, to: number) => shown.push(`${from} to ${to}`);
  for (const migrations of [UPGRADED, UPGRADED, TWICE]) {
    await using store = await openSqliteStore({
      path: sample.path,
      world,
      logKey: LOG_KEY,
      migrations,
      onUpgrade,
    });
    expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
  }
  expect(shown).toEqual([`${NOW} to ${NOW + 1}`, `${NOW + 1} to ${NOW + 2}`]);
  // Only the newest copy is kept, and it is the store as it was before the last upgrade.
  const copy = `${sample.path}.backup-v${NOW + 1}`;
  expect(readdirSync(dirname(sample.path)).sort()).toEqual([
    "sessions.db",
    "sessions.db-heads",
    "sessions.db-reserve",
    `sessions.db.backup-v${NOW + 1}`,
  ]);
  await using before = await openSqliteStore({
    path: copy,
    world,
    logKey: LOG_KEY,
    migrations: UPGRADED,
    onUpgrade,
  });
  expect(await before.events(sample.logId, 0, 9)).toEqual(sample.events);
  expect(shown.length).toBe(2);
});

test("[SES-02 SES-16] a store of a newer cinch is refused by name and number, and nothing is changed", async () => {
  await using sample = await makeStore();
  await (await openSqliteStore({ path: sample.path, world, logKey: LOG_KEY, migrations: UPGRADED }))[
    Symbol.asyncDispose
  ]();
  const before = readFileSync(sample.path);
  const thrown = await thrownBy(openSqliteStore({ path: sample.path, world, logKey: LOG_KEY }));
  const known = { path: sample.path, found: `${NOW + 1}`, known: `${NOW}` };
  expect(hasReason(thrown, "StoreNewer") && thrown.fields).toEqual(known);
  expect(readFileSync(sample.path)).toEqual(before);
});

test("[SES-02 REL-02] a store in which a living process writes a session is not upgraded until it has ended", async () => {
  await using sample = await makeStore();
  const alive = { ...world, machine: { ...world.machine, isAlive: () => true } };
  const upgrade = () =>
    openSqliteStore({ path: sample.path, world: alive, logKey: LOG_KEY, migrations: UPGRADED });
  {
    await using older = await openSqliteStore({ path: sample.path, world, logKey: LOG_KEY });
    const log = newLog(world);
    await using writer = await older.create(log, world.machine);
    await writer.append({ events: texts(log.session, 1, ["a"]) }, "power");
    const thrown = await thrownBy(upgrade());
    const told = { path: sample.path, pid: `${world.machine.pid}` };
    expect(hasReason(thrown, "StoreInUse") && thrown.fields).toEqual(told);
    await writer.append({ events: texts(log.session, 2, ["b"]) }, "power"); // it works on
  }
  await using store = await upgrade();
  expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
});

test("[SES-02] a migration that was applied with another text is refused", async () => {
  await using sample = await makeStore();
  const edited = MIGRATIONS.map((step) => ({ ...step, sql: `${step.sql}-- edited` }));
  expect(
    await reasonOf(openSqliteStore({ path: sample.path, world, logKey: LOG_KEY, migrations: edited })),
  ).toBe("StoreCorrupt");
});

test("[SES-02] an upgrade that fails in the middle leaves the store as it was", async () => {
  await using sample = await makeStore();
  const broken = [...UPGRADED, { version: NOW + 2, sql: "CREATE TABLE half (x); CREATE TABLE half (x)" }];
  expect(
    await reasonOf(openSqliteStore({ path: sample.path, world, logKey: LOG_KEY, migrations: broken })),
  ).toBe("StoreCorrupt");
  await using store = await openSqliteStore({ path: sample.path, world, logKey: LOG_KEY });
  expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
});

test("[SES-02] of several that upgrade at once, one does the work and the others find it done", async () => {
  await using sample = await makeStore();
  const options = {
    path: sample.path,
    world: { ...world, clock: hostClock },
    logKey: LOG_KEY,
    migrations: UPGRADED,
  };
  const stores = await Promise.all([
    openSqliteStore(options),
    openSqliteStore(options),
    openSqliteStore(options),
  ]);
  for (const store of stores) {
    expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
    await store[Symbol.asyncDispose]();
  }
});

function migration(sql: string): Omit<Migration, "version"> {
  return { sql };
}

/** A store at the built-in schema with one log of two events. */
async function makeStore() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const log = newLog(world);
  const events = texts(log.session, 1, ["a", "b"]);
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using writer = await store.create(log, world.machine);
  await writer.append({ events }, "power");
  const logId: LogId = log.logId;
  return { path, logId, events, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}
