import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { LOG_KEY, newLog, reasonOf, texts } from "../../../../test/support/store-rig.ts";
import type { TestWorld } from "../../../../test/support/world.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { Durability, Loss, NewLog, SessionStore, StoreFinding } from "../../store/store.ts";
import { inspectStore } from "../check/inspect.ts";
import { openSqliteStore } from "../open.ts";

const RECORD_BYTES = 128;

test("[SES-18 SES-16] a store that was set back reports once the missing events of each log, and the log continues from there", async () => {
  await using place = await openPlace();
  const { path, world } = place;
  const [first, second] = [newLog(world), newLog(world)];
  await place.write(first, 1, 3, "power");
  copyFileSync(path, `${path}.copy`);
  await place.write(first, 4, 2, "power");
  await place.write(second, 1, 2, "process");
  copyFileSync(`${path}.copy`, path);
  const behind: Loss = {
    logId: first.logId,
    isGone: false,
    events: { from: 4, to: 5 },
    writes: 1,
    cause: "damage",
  };
  const gone: Loss = {
    logId: second.logId,
    isGone: true,
    events: { from: 1, to: 2 },
    writes: 1,
    cause: "damage",
  };
  {
    await using store = await place.open();
    expect(await store.losses("all")).toEqual([behind, gone]);
    for (const _ of [1, 2]) expect(await store.losses("untold")).toEqual([behind, gone]); // nobody was shown them yet
    await store.lossesTold([behind]);
    expect(await store.losses("untold")).toEqual([gone]);
    await store.lossesTold([gone]);
    expect(await store.losses("untold")).toEqual([]);
  }
  expect((await place.inspect()).map(({ kind, weight, text }) => ({ kind, weight, text }))).toEqual([
    {
      kind: "lost",
      weight: "damage",
      text: `Missing from the log ${first.logId}: events 4 to 5. They were written, and the store was damaged or set back.`,
    },
    {
      kind: "lost",
      weight: "damage",
      text: `The log ${second.logId} with 2 events is missing from the session store: the store was damaged or set back.`,
    },
  ]);
  await place.write(first, 4, 1, "process");
  await using store = await place.open();
  expect(await store.losses("all")).toEqual([gone]);
});

test("[SES-18 SES-03] a write without an event is missed too: the beginning of a call", async () => {
  await using place = await openPlace();
  const { path, world } = place;
  const log = newLog(world);
  await place.write(log, 1, 1, "process");
  copyFileSync(path, `${path}.copy`);
  {
    await using store = await place.open();
    await using writer = await store.open(log.logId, world.ids.next("sess"), world.machine);
    const callId = world.ids.next("call");
    const intent = {
      callId,
      tool: "Bash",
      argsHash: "",
      summary: "x",
      mutating: true,
      startedAt: log.createdAt,
    };
    await writer.append({ intents: [intent] }, "power");
  }
  copyFileSync(`${path}.copy`, path);
  await using store = await place.open();
  expect(await store.losses("all")).toEqual([
    { logId: log.logId, isGone: false, writes: 1, cause: "damage" },
  ]);
});

test("[SES-18 R15] after a new start of the machine, what was not safe from loss of power may have gone with it", async () => {
  await using place = await openPlace();
  const { path, world } = place;
  const log = newLog(world);
  await place.write(log, 1, 1, "power");
  copyFileSync(path, `${path}.one`);
  {
    await using store = await place.open();
    await using writer = await store.open(log.logId, world.ids.next("sess"), world.machine);
    await writer.append({ events: texts(log.session, 2, ["safe".repeat(50_000)]) }, "power");
    await store.maintain(new AbortController().signal); // writes the log back
    copyFileSync(path, `${path}.two`);
    await writer.append({ events: texts(log.session, 3, ["not yet"]) }, "process");
  }
  const cause = async (kept: string, processStart: string) => {
    copyFileSync(`${path}.${kept}`, path);
    const machine = { ...world.machine, processStart };
    await using store = await openSqliteStore({ path, world: { ...world, machine }, logKey: LOG_KEY });
    return (await store.losses("all")).map(({ events, cause }) => ({ events, cause }));
  };
  const [now, later] = [world.machine.processStart, "boot-two:9"];
  expect(await cause("two", now)).toEqual([{ events: { from: 3, to: 3 }, cause: "damage" }]);
  expect(await cause("two", later)).toEqual([{ events: { from: 3, to: 3 }, cause: "power or damage" }]);
  expect(await cause("one", later)).toEqual([{ events: { from: 2, to: 3 }, cause: "damage" }]);
});

test("[SES-18] heads that are behind, missing, of another store or of a deleted log are no loss", async () => {
  await using place = await openPlace();
  const { path, world, heads } = place;
  const log = newLog(world);
  await place.write(log, 1, 1, "power");
  const early = readFileSync(heads);
  await place.write(log, 2, 1, "power");
  writeFileSync(heads, early); // killed between the commit and its head
  expect(await place.losses()).toEqual([]);
  rmSync(heads); // a store of before, or a copy without its heads
  expect(await place.losses()).toEqual([]);
  // Told all the same: a write-ahead log that went with them would not be missed.
  expect(await place.inspect()).toMatchObject([
    { kind: "heads", weight: "note", text: expect.stringContaining("is missing") },
  ]);
  await place.write(log, 3, 1, "power");
  const deleted = newLog(world);
  await place.write(deleted, 1, 1, "power");
  {
    await using store = await place.open();
    await store.delete(deleted.logId);
  }
  expect(await place.losses()).toEqual([]);
  // Moved away, to begin with an empty one.
  for (const name of ["", "-wal", "-shm"]) rmSync(path + name, { force: true });
  expect(await place.losses()).toEqual([]);
  await place.write(newLog(world), 1, 1, "power");
  expect(await place.inspect()).toEqual([]);
});

test("[SES-18] a head that is damaged is noted, and counts for nothing", async () => {
  await using place = await openPlace();
  const log = newLog(place.world);
  await place.write(log, 1, 1, "power");
  const bytes = readFileSync(place.heads);
  bytes[RECORD_BYTES + 60] = 1 ^ (bytes[RECORD_BYTES + 60] ?? 0);
  writeFileSync(place.heads, bytes);
  expect(await place.losses()).toEqual([]);
  expect(await place.inspect()).toMatchObject([{ kind: "heads", weight: "note" }]);
  truncateSync(place.heads, 100);
  expect(await place.losses()).toEqual([]);
});

test("[SES-18 SES-16] heads that cannot be written are logged once, and the session continues", async () => {
  await using place = await openPlace();
  const { path, world, heads } = place;
  rmSync(heads, { force: true });
  const told: string[] = [];
  const log = {
    ...SILENT_LOG,
    for: () => ({ ...SILENT_LOG, write: (_level: string, text: string) => void told.push(text) }),
  } as unknown as TestWorld["log"];
  await using store = await openSqliteStore({ path, world: { ...world, log }, logKey: LOG_KEY });
  const made = newLog(world);
  await using writer = await store.create(made, world.machine);
  await Bun.$`mkdir ${heads}`.quiet();
  await writer.append({ events: texts(made.session, 1, ["a"]) }, "power");
  await writer.append({ events: texts(made.session, 2, ["b"]) }, "power");
  expect(told).toEqual(["the heads of the logs cannot be written"]);
  expect((await store.events(made.logId, 0, 9)).length).toBe(2);
});

test("[SES-18 R14] a database file that is cut short behind its write-ahead log is damaged, and nothing is written into it", async () => {
  await using place = await openPlace();
  const { path, world } = place;
  await place.write(newLog(world), 1, 400, "power");
  const whole = readFileSync(path);
  await using store = await place.open();
  const other = newLog(world);
  await using writer = await store.create(other, world.machine);
  await writer.append({ events: texts(other.session, 1, ["in the log"]) }, "power");
  const target = join(place.folder, "cut.db");
  for (let kept = 4_096; kept < whole.length - 8 * 4_096; kept += 8 * 4_096) {
    for (const name of ["-shm", "-heads"]) rmSync(target + name, { force: true });
    copyFileSync(`${path}-wal`, `${target}-wal`);
    writeFileSync(target, whole.subarray(0, kept));
    expect(await reasonOf(openSqliteStore({ path: target, world, logKey: LOG_KEY }))).toBe("StoreCorrupt");
    expect(readFileSync(target).length).toBe(kept);
    expect(await place.inspect(target)).toMatchObject([{ kind: "closed", weight: "damage" }]);
  }
});

test("[SES-18] frames behind a damaged one are counted, and those of a killed writer are none", async () => {
  await using place = await openPlace();
  const { path, world } = place;
  await using store = await place.open();
  const log = newLog(world);
  const writer = await store.create(log, world.machine);
  for (let id = 1; id <= 5; id++) await writer.append({ events: texts(log.session, id, ["a"]) }, "process");
  const target = join(place.folder, "damaged.db");
  for (const name of ["", "-wal", "-heads"]) copyFileSync(path + name, target + name);
  const dead = { ...world, machine: { ...world.machine, isAlive: () => false } };
  expect(await place.inspect(target, dead)).toMatchObject([{ kind: "lease" }]);
  const wal = readFileSync(`${target}-wal`);
  const middle = 32 + 4_120 * Math.floor((wal.length - 32) / 4_120 / 2) + 500;
  wal[middle] = 1 ^ (wal[middle] ?? 0);
  for (const name of ["", "-heads"]) copyFileSync(path + name, target + name);
  writeFileSync(`${target}-wal`, wal);
  rmSync(`${target}-shm`, { force: true });
  const found = await place.inspect(target, dead);
  const frames = found.find(({ text }) => text.includes("frames"));
  expect(frames?.text).toMatch(/^\d+ frames of .*-wal stand behind a damaged one, and are not read\.$/u);
  expect(found.filter(({ kind }) => kind === "lost").length).toBe(2);
});

test("[SES-18] frames behind a damaged one are copied aside before the next write goes over them, and an expiry removes the copy", async () => {
  await using place = await openPlace();
  const { path, world } = place;
  const log = newLog(world);
  await using first = await place.open();
  const writer = await first.create(log, world.machine);
  for (let id = 1; id <= 5; id++) await writer.append({ events: texts(log.session, id, ["a"]) }, "process");
  const dead = { ...world, machine: { ...world.machine, isAlive: () => false } };
  const openCopy = (of: string) => openSqliteStore({ path: of, world: dead, logKey: LOG_KEY });
  const whole = readFileSync(`${path}-wal`);
  const frame = 4_120;
  const middle = 32 + frame * Math.floor((whole.length - 32) / frame / 2);
  const damages = { content: middle + 500, salt: middle + 9, header: 25, "salt of the header": 17 };
  for (const [name, at] of Object.entries(damages)) {
    const target = join(place.folder, `${name}.db`);
    for (const end of ["", "-heads"]) copyFileSync(path + end, target + end);
    const wal = Buffer.from(whole);
    wal[at] = 1 ^ (wal[at] ?? 0);
    writeFileSync(`${target}-wal`, wal);
    const copy = `${target}-wal-damaged`;
    {
      await using store = await openCopy(target);
      expect([name, readFileSync(copy).equals(wal), statSync(copy).mode & 0o777]).toEqual([
        name,
        true,
        0o600,
      ]);
      expect(await store.losses("untold")).toMatchObject([{ logId: log.logId, copy }]);
    }
    expect(await place.inspect(target, dead)).toContainEqual(
      expect.objectContaining({ weight: "note", text: expect.stringContaining(`was copied to ${copy}.`) }),
    );
    await using store = await openCopy(target);
    const other = newLog(world);
    await (await store.create(other, world.machine))[Symbol.asyncDispose]();
    await store.delete(other.logId);
    expect(existsSync(copy)).toBe(false);
  }
  const sound = join(place.folder, "sound.db");
  for (const end of ["", "-wal", "-heads"]) copyFileSync(path + end, sound + end);
  truncateSync(`${sound}-wal`, whole.length - 100); // a writer was killed within its last frame
  await (await openCopy(sound))[Symbol.asyncDispose]();
  expect(existsSync(`${sound}-wal-damaged`)).toBe(false);
});

async function openPlace() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const heads = `${path}-heads`;
  const base = testWorld();
  const world = { ...base, machine: { ...base.machine, processStart: "boot-one:1", isAlive: () => true } };
  const open = (): Promise<SessionStore> => openSqliteStore({ path, world, logKey: LOG_KEY });
  await (await open())[Symbol.asyncDispose]();
  return {
    folder: directory.path,
    path,
    heads,
    world,
    open,
    /** Writes events of a log, which is made with its first one, in one batch. */
    async write(log: NewLog, from: number, count: number, durability: Durability): Promise<void> {
      await using store = await open();
      const opened = () => store.open(log.logId, world.ids.next("sess"), world.machine);
      await using writer = from === 1 ? await store.create(log, world.machine) : await opened();
      const events = texts(
        log.session,
        from,
        Array.from({ length: count }, () => "b".repeat(300)),
      );
      await writer.append({ events }, durability);
    },
    async losses() {
      await using store = await open();
      return await store.losses("all");
    },
    async inspect(of = path, now: TestWorld = world): Promise<readonly StoreFinding[]> {
      const { signal } = new AbortController();
      const logKey = async () => LOG_KEY;
      const inspection = { path: of, world: now, depth: "quick", signal, logKey } as const;
      const found = await Array.fromAsync(inspectStore(inspection));
      return found.filter(({ kind }) => kind !== "clock"); // the clock of the test stands before its dates
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
