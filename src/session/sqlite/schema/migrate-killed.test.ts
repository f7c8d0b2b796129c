import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeOldStore } from "../../../../test/support/old-store.ts";
import { LOG_KEY, says, T0, texts } from "../../../../test/support/store-rig.ts";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { CallId, LogId } from "../../../base/ids.ts";
import type { Intent, SessionStore } from "../../store/store.ts";
import { openSqliteStore } from "../open.ts";
import { MIGRATIONS } from "./migrations.ts";

const CHILD = join(import.meta.dir, "../../../../test/support/session-child.ts");
const EVENTS = 12_000;
const TRIES_MAX = 20;
const MIB = 1024 * 1024;

test("[SES-02 R37] an upgrade that is killed, wherever it was, is taken up by the next start, and nothing is lost", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const backup = `${path}.backup-v2`;
  const world = testWorld();
  const { logId, session, payloads, openCall } = makeOldStore({ path, events: EVENTS, version: 2 }, world);
  const kept = join(directory.path, "kept.db");
  copyFileSync(path, kept);
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);
  const places: readonly (() => boolean)[] = [
    () => existsSync(backup),
    () => sizeOf(backup) > MIB,
    () => sizeOf(`${path}-wal`) > MIB / 8,
    () => sizeOf(`${path}-wal`) > MIB,
  ];
  for (const reached of places) {
    await killedWhen(path, reached);
    // On a busy machine the upgrade may be done before it is looked at: then once more, from the beginning.
    for (let tries = 0; versionIn(path) !== 2 && tries < TRIES_MAX; tries++) {
      for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
      copyFileSync(kept, path);
      await killedWhen(path, reached);
    }
    expect(versionIn(path)).toBe(2);
  }
  const [first, second] = [start(path), start(path)]; // and two at once afterwards
  expect(await Promise.all([first.exited, second.exited])).toEqual([0, 0]);
  expect(versionIn(path)).toBe(MIGRATIONS.length);
  const copies = readdirSync(directory.path).filter((name) => name.includes("backup"));
  expect(copies).toEqual(["sessions.db.backup-v2"]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect([versionIn(backup), countIn(backup)]).toEqual([2, EVENTS]);

  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  expect(await payloadsOf(store, logId)).toEqual(payloads);
  expect(await store.messages(logId)).toEqual([
    { after: 0, turn: 1, message: says("user", "an old message") },
  ]);
  expect(await store.find(session)).toMatchObject({ title: "an old title", lastEvent: EVENTS });
  expect(await store.orphans(logId)).toEqual([oldCall(openCall)]);
  const [marked] = await expired(store, logId);
  expect(marked).toMatchObject({ id: EVENTS, payload: { isError: true } });
}, 300_000);

test("[SES-02 SES-03] calls of an older store are as they were: one that is open can end, one that has ended cannot begin", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const { logId, openCall } = makeOldStore({ path, events: 3, version: 3 }, world);
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  expect(await store.orphans(logId)).toEqual([oldCall(openCall)]);
  await using writer = await store.open(logId, world.ids.next("sess"), world.machine);
  await writer.append({ outcomes: [{ callId: openCall, outcome: "ok", completedAt: T0 }] }, "power");
  expect(await store.orphans(logId)).toEqual([]);
  await expect(writer.append({ intents: [oldCall(openCall)] }, "power")).rejects.toThrow(
    "has no outcome yet",
  );
});

test("[SES-02 SES-04] rows that were sealed before more was bound to them are read as they were, beside new ones", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const { logId, payloads } = makeOldStore({ path, events: 3, version: 3 }, world);
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const run = world.ids.next("sess");
  {
    await using writer = await store.open(logId, run, world.machine);
    await writer.append({ events: texts(run, 4, ["new"]) }, "power");
  }
  expect(await payloadsOf(store, logId)).toEqual([...payloads, { text: "new" }]);
  const found = await Array.fromAsync(store.check("full", new AbortController().signal));
  expect(found.filter(({ weight }) => weight === "damage")).toEqual([]);
});

function oldCall(callId: CallId): Intent {
  return { callId, tool: "Bash", argsHash: "hash", summary: "an old call", mutating: true, startedAt: T0 };
}

async function payloadsOf(store: SessionStore, logId: LogId): Promise<unknown[]> {
  return (await store.events(logId, 0, EVENTS + 1)).map(({ payload }) => payload);
}

/** The last event once everything of the log has expired. */
async function expired(store: SessionStore, logId: LogId) {
  expect(await store.expire(logId, "2199-01-01")).toBe(EVENTS);
  return await store.eventsBefore(logId, EVENTS, 1);
}

function start(path: string): Bun.Subprocess {
  const options = ["--no-install", "--no-env-file", "--config=/dev/null"];
  return Bun.spawn([process.execPath, ...options, CHILD, "upgrade", path], {
    stdout: "ignore",
    stderr: "inherit",
  });
}

async function killedWhen(path: string, reached: () => boolean): Promise<void> {
  const child = start(path);
  await until("the upgrade has come so far", () => reached() || child.exitCode !== null);
  child.kill("SIGKILL");
  await child.exited;
}

function versionIn(path: string): number {
  using database = new Database(path, { readonly: true });
  const row = database.query("SELECT max(version) AS version FROM schema_migrations").get();
  return Number(Reflect.get(Object(row), "version"));
}

function countIn(path: string): number {
  using database = new Database(path, { readonly: true });
  return Number(Reflect.get(Object(database.query("SELECT count(*) AS count FROM events").get()), "count"));
}
