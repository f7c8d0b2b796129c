import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_KEY, newLog, reasonOf, texts } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { Cancelled } from "../../base/errors.ts";
import { openSqliteStore } from "./open.ts";
import { GIVE_BACK_MS_MAX } from "./store.ts";
import { BUSY_MS_MAX } from "./when-free.ts";

test("[SES-18 SES-16 R14] a write waits for another program's lock without blocking the thread, and goes through after it", async () => {
  await using locked = await openLocked();
  const { world, store, writer, log, free } = locked;
  const done: string[] = [];
  const append = writer
    .append({ events: texts(log.session, 1, ["a"]) }, "power")
    .then(() => done.push("append"));
  const made = await store.create(newLog(world), world.machine);
  const create = made.append({}, "process").then(() => done.push("create"));
  const pin = store.pin(log.logId, true).then(() => done.push("pin"));
  await world.clock.advance(8_000);
  expect(done).toEqual([]);
  expect((await store.find(log.logId))?.lastEvent).toBe(0); // who only reads waits for nobody
  free();
  await world.clock.advance(25);
  await Promise.all([append, create, pin]);
  await made[Symbol.asyncDispose]();
  expect((await store.find(log.logId))?.lastEvent).toBe(1);
});

test("[SES-18 SES-16 R14] a lock that is never freed is reported after the total wait, and the same batch can be appended again", async () => {
  await using locked = await openLocked();
  const { world, writer, log, free } = locked;
  const batch = { events: texts(log.session, 1, ["a"]) };
  const refused = reasonOf(writer.append(batch, "process"));
  await world.clock.advance(BUSY_MS_MAX);
  expect(await refused).toBe("StoreBusy");
  free();
  await writer.append(batch, "process");
});

test("[SES-18 SES-16] what waits for a lock ends when the store is closed", async () => {
  await using locked = await openLocked();
  const { world, store, log, free } = locked;
  const refused = reasonOf(store.pin(log.logId, true));
  const closed = store[Symbol.asyncDispose]();
  await world.clock.advance(BUSY_MS_MAX);
  await closed;
  free();
  expect(await refused).toBe("StoreBusy");
});

test("[SES-18 SES-16] a log whose lease could not be given back is free for this process at once, and for others once the file can be written", async () => {
  await using locked = await openLocked();
  const { world, store, path, writer, log, free } = locked;
  const closed = writer[Symbol.asyncDispose]();
  await world.clock.advance(BUSY_MS_MAX);
  await closed;
  expect((await store.find(log.logId))?.heldBy).toBeUndefined();
  // The other process cannot know yet that nobody writes the log.
  await using other = await openSqliteStore({ path, world, logKey: LOG_KEY, busyMs: 0 });
  expect((await other.find(log.logId))?.heldBy).toMatchObject({ pid: world.machine.pid });
  free();
  await store.list({ limit: 1 });
  expect((await other.find(log.logId))?.heldBy).toBeUndefined();
  await using next = await store.open(log.logId, world.ids.next("sess"), world.machine);
  await next.append({ events: texts(log.session, 1, ["a"]) }, "process");
  expect(next.epoch).toBe(writer.epoch + 1);
  expect((await store.find(log.logId))?.heldBy).toMatchObject({ pid: world.machine.pid });
  expect(await reasonOf(store.open(log.logId, world.ids.next("sess"), world.machine))).toBe("LogHeld");
});

test("[SES-18 SES-16] a log whose lease could not be given back is opened again before it is, and the older epoch gives back nothing", async () => {
  await using locked = await openLocked();
  const { world, store, writer, log, free } = locked;
  const closed = writer[Symbol.asyncDispose]();
  await world.clock.advance(BUSY_MS_MAX);
  await closed;
  const opening = store.open(log.logId, world.ids.next("sess"), world.machine);
  free();
  await world.clock.advance(25);
  await using next = await opening;
  await store.list({ limit: 1 });
  expect((await store.find(log.logId))?.heldBy).toMatchObject({ pid: world.machine.pid });
  await next.append({ events: texts(log.session, 1, ["a"]) }, "process");
  const findings = await Array.fromAsync(store.check("full", new AbortController().signal));
  expect(findings.filter(({ weight }) => weight === "damage")).toEqual([]);
});

test("[SES-18 LIFE-02] a store that is closed waits 2 s for a lock, however many logs it writes", async () => {
  await using locked = await openLocked();
  const { world, store, free } = locked;
  free();
  for (const _ of [1, 2]) await store.create(newLog(world), world.machine);
  locked.hold();
  let isClosed = false;
  const closed = store[Symbol.asyncDispose]().then(() => {
    isClosed = true;
  });
  await world.clock.advance(GIVE_BACK_MS_MAX);
  expect(isClosed).toBe(true);
  await closed;
});

test("[SES-18 LIFE-02] a store that waits to be opened is given up with its signal", async () => {
  await using locked = await openLocked();
  const { world, path } = locked;
  locked.free();
  await locked.store[Symbol.asyncDispose]();
  locked.exclude();
  const stop = new AbortController();
  const opened = openSqliteStore({ path, world, logKey: LOG_KEY, signal: stop.signal });
  const outcome = opened.catch((thrown: unknown) => thrown);
  await world.clock.advance(100);
  stop.abort(new Cancelled("signal", "Ctrl-C"));
  expect(await outcome).toMatchObject({ by: "signal" });
});

/** A store with one log that is being written, and a program that holds its write lock. */
async function openLocked() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const log = newLog(world);
  const writer = await store.create(log, world.machine);
  await writer.append({}, "process");
  const other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  return {
    world,
    store,
    log,
    writer,
    path,
    free: () => void other.run("ROLLBACK"),
    hold: () => void other.run("BEGIN IMMEDIATE"),
    exclude() {
      other.run("PRAGMA locking_mode = EXCLUSIVE");
      other.run("BEGIN EXCLUSIVE");
    },
    async [Symbol.asyncDispose]() {
      other.close();
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
