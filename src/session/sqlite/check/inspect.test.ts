import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../../test/support/property.ts";
import { event, LOG_KEY, newLog, says, texts, thrownBy } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { StoreFinding } from "../../store/store.ts";
import { openSqliteStore } from "../open.ts";
import { MIGRATIONS } from "../schema/migrations.ts";
import { inspectStore } from "./inspect.ts";

const DAMAGES = 250;
const DAY_MS = 86_400_000;
const world = testWorld();

test("[SES-16] a sound store has nothing wrong with it, and looking at it changes nothing", async () => {
  await using sample = await makeSample();
  const before = readFileSync(sample.path);
  expect(await inspect(sample.path, "quick")).toEqual([]);
  expect(await inspect(sample.path, "full")).toEqual([]);
  expect(readFileSync(sample.path)).toEqual(before);
  expect(await inspect(join(sample.directory, "missing.db"), "full")).toEqual([]);
});

test("[SES-16 SES-02] a store that cannot be opened is reported with a remedy, and left unchanged", async () => {
  await using sample = await makeSample();
  const place = (name: string, content: string | Uint8Array) => {
    const path = join(sample.directory, name);
    writeFileSync(path, content);
    return path;
  };
  const bytes = readFileSync(sample.path);
  const newer = place("newer.db", bytes);
  run(newer, `INSERT INTO schema_migrations VALUES (${MIGRATIONS.length + 1}, 'now', 'x')`);
  const stranger = join(sample.directory, "stranger.db");
  run(stranger, "CREATE TABLE a (b)");
  const folder = join(sample.directory, "folder.db");
  mkdirSync(folder);
  const short = place("short.db", bytes);
  truncateSync(short, 5_000);
  const cases: readonly (readonly [string, string])[] = [
    [newer, "newer cinch"],
    [stranger, "not a session store"],
    [folder, "a directory"],
    [place("text.db", "no database at all, but longer than a header of one would be ".repeat(9)), "damaged"],
    [short, "damaged"],
  ];
  for (const [path, text] of cases) {
    const found = await inspect(path, "full");
    expect(found.map(({ kind, weight }) => ({ kind, weight }))).toContainEqual({
      kind: "closed",
      weight: "damage",
    });
    expect(found.map((finding) => finding.text).join()).toContain(text);
    expect(found.every(({ remedy }) => remedy.length > 10)).toBe(true);
  }
  expect(await inspect(place("empty.db", ""), "full")).toEqual([]);
  const other = { key: new Uint8Array(32).fill(9), source: "another" };
  const [locked] = await inspect(sample.path, "full", other);
  expect(locked?.text).toContain("sealed under another machine key");
});

test("[SES-16] a store that another program has locked is reported as busy", async () => {
  await using sample = await makeSample();
  using database = new Database(sample.path);
  database.run("PRAGMA locking_mode = EXCLUSIVE");
  database.run("BEGIN EXCLUSIVE");
  const [found] = await inspect(sample.path, "quick");
  expect(found).toMatchObject({ kind: "closed", weight: "damage" });
  expect(found?.text).toContain("locked by another program");
});

test("[SES-16 SES-02] a store of an older version is reported as one, and is not upgraded by reading it", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const migrations = MIGRATIONS.slice(0, 2);
  {
    using database = new Database(path);
    database.run(
      "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT",
    );
    for (const { version, sql } of migrations) {
      database.run(sql);
      const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
      database.run("INSERT INTO schema_migrations VALUES (?, 'now', ?)", [version, hash]);
    }
  }
  const found = await inspect(path, "full");
  expect(found.map(({ kind, weight }) => ({ kind, weight }))).toEqual([{ kind: "older", weight: "note" }]);
  using database = new Database(path);
  expect(database.query("SELECT max(version) AS version FROM schema_migrations").get()).toEqual({
    version: 2,
  });
});

test("[SES-16 SES-04] what was changed, moved or taken out is named with its place, and the rest is sound", async () => {
  await using sample = await makeSample();
  const [first, second, third] = sample.logs;
  if (!first || !second || !third) throw new Error("there are three logs");
  run(
    sample.path,
    `UPDATE events SET content = zeroblob(90) WHERE log = 1 AND id = 2;
     DELETE FROM costs WHERE log = 2; DELETE FROM events WHERE log = 2 AND id = 5;
     UPDATE logs SET updated_at = '2199-01-01T00:00:00.000Z' WHERE num = 3;`,
  );
  const found = await inspect(sample.path, "full");
  expect(found.map(({ kind, weight, logId }) => ({ kind, weight, logId }))).toEqual([
    { kind: "unreadable", weight: "damage", logId: first.logId },
    { kind: "gap", weight: "damage", logId: second.logId },
    { kind: "clock", weight: "note", logId: third.logId },
  ]);
  expect(found[0]?.text).toContain(`vent 2 of ${first.logId} cannot be read`);
  const quick = await inspect(sample.path, "quick");
  expect(quick.map(({ kind }) => kind)).toEqual(["gap", "clock"]);
});

test(`[SES-16 R14] ${DAMAGES} times, bytes of a store are changed or cut off: looking never fails, and what reads is right`, async () => {
  await using sample = await makeSample();
  const whole = readFileSync(sample.path);
  const seen = { sound: 0, damaged: 0, readable: 0, lost: 0 };
  await holds(
    fc.asyncProperty(
      fc.array(fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) }), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.option(fc.nat(whole.length), { freq: 4, nil: undefined }),
      async (changes, length) => {
        const path = join(sample.directory, "damaged.db");
        const bytes = Buffer.from(whole);
        for (const { at, byte } of changes) bytes[at] = byte;
        writeFileSync(path, bytes.subarray(0, length ?? bytes.length));
        for (const file of ["-wal", "-shm"]) writeFileSync(path + file, "");
        const before = readFileSync(path);
        const found = await inspect(path, "full");
        expect(readFileSync(path)).toEqual(before);
        const damaged = found.some(({ weight }) => weight === "damage");
        seen[damaged ? "damaged" : "sound"] += 1;
        for (const { logId, events } of sample.logs) {
          const outcome = await readLog(path, logId, events);
          seen[outcome] += 1;
          if (!damaged && (length ?? bytes.length) > 0) expect(outcome).toBe("readable");
        }
      },
    ),
    DAMAGES,
  );
  expect(Object.values(seen).every((times) => times > 0)).toBe(true);
}, 300_000);

/** Every event as it was written, or a reason that says why not. */
async function readLog(
  path: string,
  logId: LogId,
  events: readonly Envelope[],
): Promise<"readable" | "lost"> {
  try {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY, busyMs: 100 });
    const read = await store.events(logId, 0, 999);
    const stored = await store.messages(logId);
    if (read.length !== events.length || stored.length !== 1) return "lost"; // rows that are gone are a gap
    // What stands beside the content is not sealed: a time may have changed, what was said has not.
    const said = (list: readonly Envelope[]) => list.map(({ id, kind, payload }) => ({ id, kind, payload }));
    expect(said(read)).toEqual(said(events));
    return "readable";
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return "lost";
  }
}

async function inspect(
  path: string,
  depth: "quick" | "full",
  key = LOG_KEY,
): Promise<readonly StoreFinding[]> {
  const { signal } = new AbortController();
  const logKey = async () => key;
  const found: StoreFinding[] = [];
  const thrown = await thrownBy(collect());
  if (thrown !== undefined) throw thrown;
  return found;

  async function collect(): Promise<void> {
    for await (const finding of inspectStore({ path, world, depth, signal, logKey, busyMs: 0 }))
      found.push(finding);
  }
}

function run(path: string, sql: string): void {
  using database = new Database(path);
  database.run(sql);
}

/** Three logs, of which one has lost content to time. Everything is in the one file. */
async function makeSample() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const own = testWorld();
  const logs: { logId: LogId; events: readonly Envelope[] }[] = [];
  {
    await using store = await openSqliteStore({ path, world: own, logKey: LOG_KEY });
    for (let index = 0; index < 3; index++) {
      const log = { ...newLog(own), createdAt: new Date(own.clock.now()).toISOString() };
      const cost = { provider: "p", model: "m", inputTokens: 1, outputTokens: 1, usd: 1 };
      const events = [
        ...texts(log.session, 1, ["a", "b", "c ".repeat(3_000), "d"]),
        event(log.session, 5, { kind: "CostIncremented", payload: cost }),
        ...texts(
          log.session,
          6,
          Array.from({ length: 20 }, (_, at) => `${at} ${"more ".repeat(40)}`),
        ),
      ];
      await using writer = await store.create(log, own.machine);
      await writer.append(
        { events, messages: [{ after: 1, turn: 1, message: says("user", "hi") }] },
        "power",
      );
      logs.push({ logId: log.logId, events });
    }
    const old = { ...newLog(own), createdAt: new Date(own.clock.now()).toISOString() };
    {
      await using writer = await store.create(old, own.machine);
      await writer.append({ events: texts(old.session, 1, ["old"]) }, "power");
    }
    await own.clock.advance(DAY_MS);
    await store.expire(old.logId, new Date(own.clock.now()).toISOString().slice(0, 10));
  }
  return {
    path,
    directory: directory.path,
    logs,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
