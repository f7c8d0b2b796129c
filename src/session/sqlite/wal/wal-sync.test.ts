import { expect, test } from "bun:test";
import { fdatasync } from "node:fs";
import { join } from "node:path";
import { LOG_KEY, newLog, texts } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { NewLog } from "../../store/store.ts";
import { openSqliteStore } from "../open.ts";
import type { SyncFile } from "./wal-sync.ts";
import { WalSync } from "./wal-sync.ts";

/** A disk whose syncs wait for the test. */
function heldDisk() {
  const waiting: ((failure: Error | null) => void)[] = [];
  const syncFile: SyncFile = (_file, done) => waiting.push(done);
  return { waiting, syncFile };
}

function openStore(path: string, world = testWorld(), syncFile: SyncFile = fdatasync) {
  return openSqliteStore({ path, world, logKey: LOG_KEY, syncFile });
}

const batchOf = ({ session }: NewLog) => ({ events: texts(session, 1, ["a"]) });

test("[SES-03 R15] a store without a write-ahead log is not synced so, and neither is one of another system", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  using none = new WalSync(path, { platform: "linux" });
  expect(none.open()).toBe(false);
  await using _store = await openStore(path);
  using other = new WalSync(path, { platform: "win32" });
  using here = new WalSync(path, { platform: "linux" });
  expect([other.open(), here.open()]).toEqual([false, true]);
});

test("[SES-03 R15] callers during a sync share the next one, which begins after they came", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  await using _store = await openStore(path);
  const disk = heldDisk();
  using sync = new WalSync(path, { platform: "linux" }, disk.syncFile);
  sync.open();
  const running = sync.sync();
  const [next, shared] = [sync.sync(), sync.sync()];
  expect(disk.waiting.length).toBe(1);
  disk.waiting[0]?.(null);
  await running;
  await undefined;
  expect(disk.waiting.length).toBe(2);
  disk.waiting[1]?.(null);
  await Promise.all([next, shared]);
  expect(disk.waiting.length).toBe(2);
});

test("[SES-03 R15] after a sync that failed nothing counts as synced, also for those who waited for the next one", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  await using _store = await openStore(path);
  const disk = heldDisk();
  using sync = new WalSync(path, { platform: "linux" }, disk.syncFile);
  sync.open();
  const failing = Promise.allSettled([sync.sync(), sync.sync()]);
  disk.waiting[0]?.(new Error("EIO: i/o error, fdatasync"));
  expect(await failing).toMatchObject([
    { reason: { reason: "StoreUnwritable" } },
    { reason: { reason: "StoreUnwritable" } },
  ]);
  expect(() => sync.open()).toThrow(HarnessError);
  await expect(sync.sync()).rejects.toMatchObject({ reason: "StoreUnwritable" });
  expect(disk.waiting.length).toBe(1);
});

test("[SES-03 R15] a batch whose sync fails is refused, and so is every later one of every session of the store", async () => {
  await using directory = temporaryDirectory();
  let isBroken = false;
  const world = testWorld();
  await using store = await openStore(join(directory.path, "sessions.db"), world, (file, done) =>
    isBroken ? done(new Error("EIO: i/o error, fdatasync")) : fdatasync(file, done),
  );
  const [log, other] = [newLog(world), newLog(world)];
  await using writer = await store.create(log, world.machine);
  await using beside = await store.create(other, world.machine);
  await writer.append(batchOf(log), "power");
  isBroken = true;
  const refused = { reason: "StoreUnwritable" };
  await expect(beside.append(batchOf(other), "power")).rejects.toMatchObject(refused);
  isBroken = false;
  await expect(writer.append({}, "process")).rejects.toMatchObject(refused);
  await expect(beside.append({}, "process")).rejects.toMatchObject(refused);
});

test("[SES-03 SES-07] a writer gives its lease back after the batch that is being synced", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const disk = heldDisk();
  const world = testWorld();
  await using store = await openStore(path, world, disk.syncFile);
  const log = newLog(world);
  const writer = await store.create(log, world.machine);
  const order: string[] = [];
  const appending = writer.append(batchOf(log), "power").then(() => order.push("appended"));
  const disposing = Promise.resolve(writer[Symbol.asyncDispose]()).then(() => order.push("given back"));
  expect((await store.find(log.logId))?.heldBy).toBeDefined();
  disk.waiting[0]?.(null);
  await Promise.all([appending, disposing]);
  expect(order).toEqual(["appended", "given back"]);
  expect((await store.find(log.logId))?.heldBy).toBeUndefined();
});
