import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOG_KEY, newLog, reasonOf, says, T0, texts, thrownBy } from "../../../test/support/store-rig.ts";
import { seededRandom, temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { SessionStore } from "../store/store.ts";
import { openSqliteStore } from "./open.ts";

const CUT_EVERY_BYTES = 256;
const FLIPS = 80;
const BATCHES = 12;
const EVENTS_PER_BATCH = 2;
const PAGE_BYTES = 4_096;
/** Less is no database at all. */
const PAGE_BYTES_MIN = 512;
const WAL_HEADER_BYTES = 32;
const WAL_FRAME_BYTES = 24 + PAGE_BYTES;
const SLOW_MS = 300_000;

const world = testWorld();

test(
  "[SES-16 SES-18 R14] a write-ahead log cut off anywhere gives everything that was committed before the cut, and the rest is reported",
  async () => {
    await using sample = await makeSample("unmerged");
    const random = seededRandom(2);
    const kept: number[] = [];
    // In its header, and once in every frame; every third cut is right at the beginning of one.
    for (let frame = 0, length = 9; length < sample.wal.length; frame++) {
      kept.push(await prefixLength(sample.place(sample.database, sample.wal.subarray(0, length)), sample));
      const into = frame % 3 === 0 ? 0 : Math.floor(random.number() * WAL_FRAME_BYTES);
      length = WAL_HEADER_BYTES + frame * WAL_FRAME_BYTES + into;
    }
    kept.push(await prefixLength(sample.place(sample.database, sample.wal), sample));
    expect(kept).toEqual(kept.toSorted((a, b) => a - b)); // a longer log never gives less
    expect([kept[0], kept.at(-1)]).toEqual([0, sample.events.length]);
  },
  SLOW_MS,
);

test(
  "[SES-16 SES-18 R14] a bit that flipped in the write-ahead log ends it there, and the rest is reported",
  async () => {
    await using sample = await makeSample("unmerged");
    const random = seededRandom(3);
    const kept = new Set<number>();
    let gone = 0;
    for (let flip = 0; flip < FLIPS; flip++) {
      const wal = flipped(sample.wal, random);
      const path = sample.place(sample.database, wal);
      kept.add(await prefixLength(path, sample));
      const copies = [`${path}-wal-damaged`, `${path}-wal`].filter((each) => existsSync(each));
      if (!copies.some((each) => readFileSync(each).equals(wal))) gone += 1;
    }
    expect(kept.size).toBeGreaterThan(BATCHES / 2);
    expect(gone).toBeLessThanOrEqual(2); // a damaged mark of the last commit leaves nothing that was finished
  },
  SLOW_MS,
);

test(
  "[SES-16 R14] a database cut off anywhere is reported as damaged, and left unchanged",
  async () => {
    await using sample = await makeSample("merged");
    const { database } = sample;
    for (let length = CUT_EVERY_BYTES; length <= database.length - PAGE_BYTES; length += CUT_EVERY_BYTES) {
      const cut = database.subarray(0, length);
      const path = sample.place(cut);
      const thrown = await thrownBy(openSqliteStore({ path, world, logKey: LOG_KEY }));
      expect({ length, thrown }).toMatchObject({ length, thrown: { reason: "StoreCorrupt" } });
      if (length >= PAGE_BYTES_MIN) expect(String(thrown)).toContain(missingOf(cut, database));
      expect(Buffer.compare(readFileSync(path), cut)).toBe(0);
    }
    // A part of the last page counts as the page: who needs it is told.
    for (let lost = PAGE_BYTES - 1; lost > 0; lost -= CUT_EVERY_BYTES) {
      const path = sample.place(database.subarray(0, database.length - lost));
      expect(["StoreCorrupt", "nothing was thrown"]).toContain(await reasonOf(readWhole(path, sample)));
    }
  },
  SLOW_MS,
);

test(
  "[SES-16 R14] a bit that flipped in the database is never a crash: it reads, or says what is damaged",
  async () => {
    await using sample = await makeSample("merged");
    const random = seededRandom(5);
    const outcomes = { reads: 0, damaged: 0 };
    for (let flip = 0; flip < FLIPS; flip++) {
      const path = sample.place(flipped(sample.database, random));
      const thrown = await thrownBy(useAll(path, sample.logId));
      if (thrown === undefined) outcomes.reads += 1;
      else if (thrown instanceof HarnessError && EXPECTED.has(thrown.reason)) outcomes.damaged += 1;
      else throw thrown;
    }
    expect(Object.values(outcomes).every((number) => number > 0)).toBe(true);
  },
  SLOW_MS,
);

test("[SES-16 SES-18 R14] an empty file is a new store, but not beside a write-ahead log or heads that name sessions", async () => {
  await using sample = await makeSample("unmerged");
  const path = sample.place(new Uint8Array());
  expect(await reasonOf(openSqliteStore({ path, world, logKey: LOG_KEY }))).toBe("StoreCorrupt");
  rmSync(`${path}-heads`);
  {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    expect(await store.list({ limit: 9 })).toEqual([]);
  }
  const again = sample.place(new Uint8Array(), sample.wal);
  expect(await reasonOf(openSqliteStore({ path: again, world, logKey: LOG_KEY }))).toBe("StoreCorrupt");
  expect(readFileSync(`${again}-wal`).length).toBe(sample.wal.length);
});

test("[SES-16] a row whose content was overwritten names its event, and the others stay readable", async () => {
  await using sample = await makeSample("merged");
  const path = sample.place(sample.database);
  {
    using database = new Database(path);
    database.run("UPDATE events SET content = CAST('{\"text' AS BLOB) WHERE id = 2");
  }
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const thrown = await thrownBy(store.events(sample.logId, 0, 9));
  expect(String(thrown)).toContain(
    `event 2 of ${sample.logId} cannot be read: its content cannot be unsealed`,
  );
  expect(await store.events(sample.logId, 2, 1)).toEqual(sample.events.slice(2, 3));
});

test("[SES-16] what is no session store is left alone, and said to be none", async () => {
  await using directory = temporaryDirectory();
  const file = join(directory.path, "notes.txt");
  writeFileSync(file, "dear diary ".repeat(1_000));
  const foreign = join(directory.path, "foreign.db");
  {
    using database = new Database(foreign);
    database.run("CREATE TABLE theirs (x)");
  }
  const folder = join(directory.path, "folder");
  mkdirSync(folder);
  const reasons = {
    [file]: "StoreCorrupt",
    [foreign]: "StoreCorrupt",
    [folder]: "StoreUnwritable",
    [join(file, "in.db")]: "StoreUnwritable",
  };
  for (const [path, reason] of Object.entries(reasons)) {
    const before = existsSync(path) && path !== folder ? readFileSync(path) : undefined;
    expect(await reasonOf(openSqliteStore({ path, world, logKey: LOG_KEY }))).toBe(reason);
    if (before !== undefined) expect(readFileSync(path)).toEqual(before);
  }
});

test("[SES-16] a database of another program is reported as one", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "foreign.db");
  {
    using database = new Database(path);
    database.run("CREATE TABLE theirs (x)");
  }
  expect(String(await thrownBy(openSqliteStore({ path, world, logKey: LOG_KEY })))).toContain(
    "a database, but not a session store",
  );
});

test("[SES-16] a store that stays locked by another program is reported as busy", async () => {
  await using sample = await makeSample("merged");
  const path = sample.place(sample.database);
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY, busyMs: 10 });
  using other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  const writer = await store.create(newLog(world), world.machine);
  const refused = reasonOf(writer.append({}, "process"));
  await world.clock.advance(10);
  expect(await refused).toBe("StoreBusy");
  other.run("ROLLBACK");
  expect((await store.events(sample.logId, 0, 1_000)).length).toBe(sample.events.length);
});

test("[SES-01] the store and all its files are readable by their owner alone", async () => {
  await using directory = temporaryDirectory();
  const folder = join(directory.path, "data", "cinch");
  const path = join(folder, "sessions.db");
  const before = process.umask(0);
  try {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    await using _writer = await store.create(newLog(world), world.machine);
    const modes = readdirSync(folder).map((name) => [
      name,
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    ]);
    expect(modes.sort()).toEqual([
      ["sessions.db", "600"],
      ["sessions.db-reserve", "600"],
      ["sessions.db-shm", "600"],
      ["sessions.db-wal", "600"],
    ]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  } finally {
    process.umask(before);
  }
});

const EXPECTED: ReadonlySet<string> = new Set([
  "StoreCorrupt",
  "StoreNewer",
  "StoreUnwritable",
  "SessionMissing",
]);

interface Sample extends AsyncDisposable {
  readonly logId: LogId;
  readonly events: readonly Envelope[];
  readonly database: Uint8Array;
  readonly wal: Uint8Array;
  /** Lays files out as a store would have them, and gives its path. */
  place(database: Uint8Array, wal?: Uint8Array): string;
}

/** The files of a small store: with all it holds in the write-ahead log, or merged into the database. */
async function makeSample(how: "merged" | "unmerged"): Promise<Sample> {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sample.db");
  const log = newLog(world);
  const events: Envelope[] = [];
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const writer = await store.create(log, world.machine);
  for (let batch = 0; batch < BATCHES; batch++) {
    const next = texts(log.session, events.length + 1, ["a", "b".repeat(300)]);
    const message = { after: events.length + 2, turn: 1, message: says("user", "hi") };
    const callId = world.ids.next("call");
    const intent = { callId, tool: "Bash", argsHash: "", summary: "ls", mutating: true, startedAt: T0 };
    await writer.append({ events: next, messages: [message], intents: [intent] }, "process");
    events.push(...next);
  }
  if (how === "merged") await store[Symbol.asyncDispose]();
  const database = readFileSync(path);
  const wal = how === "merged" ? new Uint8Array() : readFileSync(`${path}-wal`);
  const heads = readFileSync(`${path}-heads`);
  await store[Symbol.asyncDispose]();
  return {
    logId: log.logId,
    events,
    database,
    wal,
    place(database, wal) {
      const target = join(directory.path, "sessions.db");
      for (const suffix of ["", "-wal", "-shm", "-wal-damaged"]) rmSync(target + suffix, { force: true });
      writeFileSync(target, database);
      writeFileSync(`${target}-heads`, heads);
      if (wal !== undefined) writeFileSync(`${target}-wal`, wal);
      return target;
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/**
 * Counts the sample's events that a store still has. Those that it has are the first ones, and whatever it lacks is
 * told: as a loss, or by a refusal to open where nothing is left.
 */
async function prefixLength(path: string, sample: Sample): Promise<number> {
  const opened = await openOrReason(path);
  if (typeof opened === "string") {
    expect(opened).toBe("StoreCorrupt");
    return 0;
  }
  await using store = opened;
  const [loss, ...others] = await store.losses("all");
  expect(others).toEqual([]);
  const isGone = (await store.find(sample.logId)) === undefined;
  const events = isGone ? [] : await store.events(sample.logId, 0, 1_000);
  expect(events).toEqual(sample.events.slice(0, events.length));
  if (events.length === sample.events.length) expect(loss).toBeUndefined();
  else {
    expect(loss).toEqual({
      logId: sample.logId,
      isGone,
      events: { from: events.length + 1, to: sample.events.length },
      writes: BATCHES - events.length / EVENTS_PER_BATCH,
      cause: "damage",
      ...(existsSync(`${path}-wal-damaged`) ? { copy: `${path}-wal-damaged` } : {}),
    });
  }
  return events.length;
}

/** Opens a store whose writer was killed. */
async function openOrReason(path: string): Promise<SessionStore | string> {
  const later = { ...world, machine: { ...world.machine, isAlive: () => false } };
  try {
    return await openSqliteStore({ path, world: later, logKey: LOG_KEY });
  } catch (thrown) {
    return await reasonOf(Promise.reject(thrown));
  }
}

async function readWhole(path: string, sample: Sample): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await store.list({ limit: 9 });
  expect(await store.events(sample.logId, 0, 1_000)).toEqual(sample.events);
  expect((await store.messages(sample.logId)).length).toBe(BATCHES);
  expect((await store.orphans(sample.logId)).length).toBe(BATCHES);
}

async function useAll(path: string, logId: LogId): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await store.list({ limit: 9 });
  await store.find(logId);
  await store.events(logId, 0, 1_000);
  await store.messages(logId);
  await store.orphans(logId);
  await write(store, logId);
}

async function write(store: SessionStore, logId: LogId): Promise<void> {
  const session = world.ids.next("sess");
  await using writer = await store.open(logId, session, world.machine);
  const message = { after: writer.lastEvent + 1, turn: 1, message: says("user", "hi") };
  await writer.append(
    { events: texts(session, writer.lastEvent + 1, ["c"]), messages: [message] },
    "process",
  );
}

function missingOf(cut: Uint8Array, database: Uint8Array): string {
  const [left, pages] = [cut, database].map(({ length }) => Math.floor(length / PAGE_BYTES));
  const missing = Number(pages) - Number(left);
  return `it is cut short: it has ${cut.length} bytes, and ${missing} of its ${pages} pages are behind its end`;
}

function flipped(bytes: Uint8Array, random: { number(): number }): Uint8Array {
  const copy = new Uint8Array(bytes);
  const at = Math.floor(random.number() * copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random.number() * 8));
  return copy;
}
