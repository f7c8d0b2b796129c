import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_KEY, newLog, reasonOf, texts } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { openSqliteStore } from "./open.ts";
import { BUSY_MS_MAX } from "./when-free.ts";

test("[SES-18 SES-16 R14] a write waits for another program's lock without blocking the thread, and goes through after it", async () => {
  await using locked = await openLocked();
  const { world, store, writer, log, free } = locked;
  const done: string[] = [];
  const append = writer
    .append({ events: texts(log.session, 1, ["a"]) }, "power")
    .then(() => done.push("append"));
  const create = store.create(newLog(world), world.machine).then((made) => {
    done.push("create");
    return made;
  });
  const pin = store.pin(log.logId, true).then(() => done.push("pin"));
  await world.clock.advance(8_000);
  expect(done).toEqual([]);
  expect((await store.find(log.logId))?.lastEvent).toBe(0); // who only reads waits for nobody
  free();
  await world.clock.advance(25);
  await Promise.all([append, (await create)[Symbol.asyncDispose](), pin]);
  expect((await store.find(log.logId))?.lastEvent).toBe(1);
});

test("[SES-18 SES-16 R14] a lock that is never freed is told after the total wait, and the same batch can be appended again", async () => {
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

/** A store with one log that is being written, and a program that holds its write lock. */
async function openLocked() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const log = newLog(world);
  const writer = await store.create(log, world.machine);
  const other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  return {
    world,
    store,
    log,
    writer,
    free: () => void other.run("ROLLBACK"),
    async [Symbol.asyncDispose]() {
      other.close();
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
