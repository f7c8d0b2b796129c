import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { LOG_KEY, newLog, reasonOf, says, T0, texts, thrownBy } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { CallId, LogId, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Intent, StoredMessage } from "../../store/store.ts";
import { openSqliteStore } from "../open.ts";
import { MIGRATIONS } from "../schema/migrations.ts";
import { rotateStore } from "./rotate.ts";

// In a copy in which `WriterSeal.seal` gave the content as it is, and `DataKeys.open` took it so, the cases went red
// that look for words on the disk, that open an older store, and that change or move content. The others stayed
// green: another machine key, rotation, expiry and the failed batch are about the keys, which such a copy still has.

const world = testWorld();
const CANARY = "canary-8f2c1e";
const OTHER_KEY = { key: new Uint8Array(32).fill(9), source: "another test" };
const DAY_MS = 86_400_000;
const random = (count: number) => world.random.bytes(count);

test("[SES-04 S54] no file of a store holds a word of what was said, called or answered, also while it is open", async () => {
  await using sample = await makeStore();
  {
    await using store = await openSqliteStore({ path: sample.path, world, logKey: LOG_KEY });
    await using writer = await store.open(sample.logId, world.ids.next("sess"), world.machine);
    await writer.append({ events: texts(sample.session, 4, [`${CANARY} again`]) }, "power");
    expect(existsSync(`${sample.path}-wal`)).toBe(true);
    expect(filesWith(sample.path, CANARY)).toEqual([]);
  }
  expect(filesWith(sample.path, CANARY)).toEqual([]);
  expect(filesWith(sample.path, sample.intent.argsHash)).toEqual([]);
});

test("[SES-04] content that was changed, or moved to another row, is reported as damaged; the rest is read", async () => {
  const damages: Readonly<Record<string, (database: Database) => void>> = {
    "one bit of an event": flipOf("events", "content", "id = 2"),
    "one bit of a message": flipOf("messages", "content", "seq = 1"),
    "one bit of a call": flipOf("tool_call_intents", "summary", "log = 1"),
    "two events swapped": sql(
      `CREATE TEMP TABLE old AS SELECT id, content FROM events;
       UPDATE events SET content = (SELECT content FROM old WHERE old.id = 5 - events.id) WHERE id IN (2, 3)`,
    ),
    "an event that says another kind": sql("UPDATE events SET kind = 'TextDelta' WHERE id = 1"),
    "an event that has another id": sql("UPDATE events SET id = 9 WHERE id = 3"),
    "an event of another time": sql("UPDATE events SET ts = '2020-01-01T00:00:00.000Z' WHERE id = 2"),
    "an event of somebody else": sql(
      "UPDATE events SET originator = 'cli_01J0000000000000000000000' WHERE id = 2",
    ),
    "an event of a sub-agent": sql(
      "UPDATE events SET parent_call = 'call_01J0000000000000000000000' WHERE id = 2",
    ),
    "events of another run": sql("UPDATE runs SET session_id = 'sess_01J0000000000000000000000'"),
    "a message of another turn": sql("UPDATE messages SET turn = 2"),
    "a message of another place": sql("UPDATE messages SET after = 2"),
    "a call that says that it changes nothing": sql("UPDATE tool_call_intents SET is_mutating = 0"),
    "a key that says that it binds less": sql("UPDATE data_keys SET bound = 1"),
    "a message of the user that says it is the model's": sql("UPDATE messages SET role = 'assistant'"),
    "a key of another day": sql("UPDATE data_keys SET day = '2020-01-01'"),
    "a key that was changed": flipOf("data_keys", "wrapped", "1"),
    "a key that is missing": sql("DELETE FROM data_keys"),
    "content that was never sealed": sql(
      `UPDATE events SET content = CAST('{"text":"forged"}' AS BLOB), key_id = NULL WHERE id = 2`,
    ),
  };
  for (const [what, damage] of Object.entries(damages)) {
    await using sample = await makeStore();
    {
      using database = new Database(sample.path);
      database.run("PRAGMA foreign_keys = OFF");
      damage(database);
    }
    const thrown = await thrownBy(readAll(sample.path, sample.logId));
    expect({ what, reason: thrown instanceof HarnessError && thrown.reason }).toEqual({
      what,
      reason: "StoreCorrupt",
    });
    expect(String(thrown)).not.toContain(CANARY);
  }
});

test("[SES-04 SES-16] a title that was changed is marked, and its session and all others are found and read", async () => {
  await using sample = await makeStore();
  {
    using database = new Database(sample.path);
    flipOf("logs", "title", "num = 1")(database);
  }
  await using store = await openSqliteStore({ path: sample.path, world, logKey: LOG_KEY });
  expect(await store.find(sample.logId)).toMatchObject({ title: "«unreadable»", lastEvent: 3 });
  expect((await store.list({ limit: 9 })).map(({ title }) => title)).toEqual(["«unreadable»"]);
  expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
  const found = await Array.fromAsync(store.check("full", new AbortController().signal));
  expect(found.filter(({ weight }) => weight === "damage").map(({ text }) => text)).toEqual([
    expect.stringContaining("its title cannot be unsealed"),
  ]);
});

test("[SES-04] another machine key opens nothing, says so, and changes nothing", async () => {
  await using sample = await makeStore();
  const before = readFileSync(sample.path);
  const thrown = await thrownBy(openSqliteStore({ path: sample.path, world, logKey: OTHER_KEY }));
  expect(thrown instanceof HarnessError && [thrown.reason, thrown.fields]).toEqual([
    "SessionsLocked",
    { path: sample.path, source: "another test" },
  ]);
  expect(readFileSync(sample.path)).toEqual(before);
  await using store = await openSqliteStore({ path: sample.path, world, logKey: LOG_KEY });
  expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
});

test("[SES-02 SES-04] a store from before there was sealing is sealed when it is opened, and its plain copy goes", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const logId = oldStore(path);
  expect(filesWith(path, CANARY)).not.toEqual([]);
  const shown: string[] = [];
  const onUpgrade = (from: number, to: number) => shown.push(`${from} to ${to}`);
  for (let run = 0; run < 2; run++) {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY, onUpgrade });
    expect((await store.events(logId, 0, 9_999)).map(({ payload }) => payload)).toEqual(
      Array.from({ length: OLD_EVENTS }, () => ({ text: `old ${CANARY}` })),
    );
    expect(await store.messages(logId)).toEqual([{ after: 0, turn: 1, message: says("user", CANARY) }]);
    expect(await store.orphans(logId)).toMatchObject([{ argsHash: "abc", summary: `Bash ${CANARY}` }]);
    expect((await store.find(logId))?.title).toBe(`title ${CANARY}`);
    expect(filesWith(path, CANARY)).toEqual([]);
  }
  expect(shown).toEqual([`1 to ${MIGRATIONS.length}`]);
  expect(readdirSync(directory.path).filter((name) => name.includes("backup"))).toEqual([]);
});

test("[SES-04 SES-18] sealing an old store, and a rotation, remove the copy of a damaged write-ahead log", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  oldStore(path);
  const copy = `${path}-wal-damaged`;
  writeFileSync(copy, `old ${CANARY}`);
  await (await openSqliteStore({ path, world, logKey: LOG_KEY }))[Symbol.asyncDispose]();
  expect(existsSync(copy)).toBe(false);
  writeFileSync(copy, "keys under the old machine key");
  await rotateStore(path, { from: LOG_KEY, to: OTHER_KEY, random });
  expect(existsSync(copy)).toBe(false);
});

test("[SES-04] rotation wraps the keys again and touches no content; the old machine key opens nothing then", async () => {
  await using sample = await makeStore();
  const contents = () => {
    using database = new Database(sample.path, { readonly: true });
    return database.query("SELECT content FROM events ORDER BY id").values();
  };
  const before = contents();
  expect(await rotateStore(sample.path, { from: LOG_KEY, to: OTHER_KEY, random })).toEqual({
    kind: "rotated",
    keys: 1,
  });
  expect(await rotateStore(sample.path, { from: LOG_KEY, to: OTHER_KEY, random })).toEqual({
    kind: "done before",
  });
  await expect(
    rotateStore(sample.path, { from: LOG_KEY, to: { ...LOG_KEY, key: new Uint8Array(32) }, random }),
  ).rejects.toThrow("another");
  expect(contents()).toEqual(before);
  expect(await reasonOf(openSqliteStore({ path: sample.path, world, logKey: LOG_KEY }))).toBe(
    "SessionsLocked",
  );
  await using store = await openSqliteStore({ path: sample.path, world, logKey: OTHER_KEY });
  expect(await store.events(sample.logId, 0, 9)).toEqual(sample.events);
});

test("[SES-04 SES-06] what a destroyed key sealed has expired and is left out; other days are read as before", async () => {
  const later = testWorld();
  await using sample = await makeStore();
  await later.clock.advance(2 * DAY_MS);
  const events = texts(sample.session, 4, ["later"]);
  {
    await using store = await openSqliteStore({ path: sample.path, world: later, logKey: LOG_KEY });
    await using writer = await store.open(sample.logId, later.ids.next("sess"), later.machine);
    await writer.append(
      { events, messages: [{ after: 4, turn: 1, message: says("user", "later") }] },
      "power",
    );
  }
  await using store = await openSqliteStore({ path: sample.path, world: later, logKey: LOG_KEY });
  const today = new Date(later.clock.now()).toISOString().slice(0, 10);
  expect(await store.expire(sample.logId, today)).toBe(3);
  expect((await store.events(sample.logId, 0, 9)).map(({ id }) => id)).toEqual([4]);
  expect((await store.events(sample.logId, 0, 1)).map(({ id }) => id)).toEqual([4]);
  expect((await store.messages(sample.logId)).length).toBe(1);
  expect(await store.orphans(sample.logId)).toEqual([]);
  expect(await store.find(sample.logId)).toMatchObject({ lastEvent: 4, title: "" });
});

test("[SES-04 R15] a key that was made in a batch that failed is not used again", async () => {
  await using sample = await makeStore();
  const later = testWorld();
  await later.clock.advance(DAY_MS);
  await using store = await openSqliteStore({ path: sample.path, world: later, logKey: LOG_KEY });
  await using writer = await store.open(sample.logId, later.ids.next("sess"), later.machine);
  const outcome = { callId: later.ids.next("call"), outcome: "ok", completedAt: T0 } as const;
  const events = texts(sample.session, 4, ["four"]);
  await thrownBy(writer.append({ events, outcomes: [outcome] }, "power"));
  await writer.append({ events }, "power");
  expect((await store.events(sample.logId, 3, 9)).map(({ id }) => id)).toEqual([4]);
});

test("[SES-06 R15] events that were written at the second attempt, with a key that was there before, expire like others", async () => {
  await using directory = temporaryDirectory();
  const later = testWorld();
  const path = join(directory.path, "sessions.db");
  await using store = await openSqliteStore({ path, world: later, logKey: LOG_KEY });
  const log = newLog(later);
  {
    await using writer = await store.create(log, later.machine);
    await writer.append({ messages: [{ after: 0, turn: 1, message: says("user", "first") }] }, "power");
    const outcome = { callId: later.ids.next("call"), outcome: "ok", completedAt: T0 } as const;
    const events = texts(log.session, 1, ["one"]);
    expect(await thrownBy(writer.append({ events, outcomes: [outcome] }, "power"))).toBeDefined();
    await writer.append({ events }, "power");
  }
  expect(await store.expire(log.logId, "2199-01-01")).toBe(1);
  expect(await store.events(log.logId, 0, 9)).toEqual([]);
});

/** One bit of one content is another one. */
function flipOf(table: string, column: string, where: string): (database: Database) => void {
  return (database) => {
    const found = database.query(`SELECT ${column} AS content FROM ${table} WHERE ${where}`).get();
    const { content } = found as { readonly content: Uint8Array };
    const flipped = content.with(20, (content[20] ?? 0) ^ 4);
    database.run(`UPDATE ${table} SET ${column} = ? WHERE ${where}`, [flipped]);
  };
}

function sql(text: string): (database: Database) => void {
  return (database) => void database.run(text);
}

function filesWith(path: string, text: string): readonly string[] {
  const names = readdirSync(dirname(path));
  return names.filter((name) => readFileSync(join(dirname(path), name)).includes(text));
}

async function readAll(path: string, logId: LogId): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await store.find(logId);
  await store.events(logId, 0, 9);
  await store.messages(logId);
  await store.orphans(logId);
}

async function makeStore() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const log = newLog(world);
  const started = {
    id: 1,
    session: log.session,
    ts: T0,
    kind: "TurnStarted",
    payload: { turn: 1, originator: world.ids.next("cli"), content: [{ type: "text", text: CANARY }] },
  } as Envelope;
  const events = [started, ...texts(log.session, 2, [`two ${CANARY}`, `three ${CANARY}`])];
  const intent: Intent = {
    callId: world.ids.next("call"),
    tool: "Bash",
    argsHash: "f00d".repeat(16),
    summary: `Bash '${CANARY}'`,
    mutating: true,
    startedAt: T0,
  };
  const messages: StoredMessage[] = [{ after: 1, turn: 1, message: says("user", CANARY) }];
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using writer = await store.create(log, world.machine);
  await writer.append({ events, messages, intents: [intent] }, "power");
  expect((await store.find(log.logId))?.title).toBe(CANARY);
  const { logId, session } = log;
  return {
    ...{ path, logId, session, events, intent },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const OLD_EVENTS = 2_345;

/** A store as the first schema had it, with content in the clear. */
function oldStore(path: string): LogId {
  const [logId, session, callId]: [LogId, SessionId, CallId] = [
    world.ids.next("log"),
    world.ids.next("sess"),
    world.ids.next("call"),
  ];
  const [first] = MIGRATIONS;
  using database = new Database(path);
  database.run("PRAGMA journal_mode = WAL");
  database.run(
    "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT",
  );
  database.run(first?.sql ?? "");
  const hash = new Bun.CryptoHasher("sha256").update(first?.sql ?? "").digest("hex");
  const blob = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  database.run("INSERT INTO schema_migrations VALUES (1, ?, ?)", [T0, hash]);
  database.run("INSERT INTO logs VALUES (1, ?, '/w', 'default', 'a:b', ?, ?, 1, ?, NULL)", [
    ...[logId, T0, T0],
    blob(`title ${CANARY}`),
  ]);
  database.run("INSERT INTO runs VALUES (1, 1, ?, ?)", [session, T0]);
  database.run("INSERT INTO leases VALUES (1, 1, NULL, NULL, 1)");
  const insert = database.query(
    "INSERT INTO events VALUES (1, ?, 1, NULL, 1, 'TextDelta', ?, NULL, NULL, ?, NULL)",
  );
  database.transaction(() => {
    for (let id = 1; id <= OLD_EVENTS; id++) insert.run(id, T0, blob({ text: `old ${CANARY}` }));
  })();
  database.run("INSERT INTO messages VALUES (1, 1, 0, 1, 'user', 0, ?, NULL)", [
    blob(says("user", CANARY).content),
  ]);
  database.run("INSERT INTO tool_call_intents VALUES (?, 1, 'Bash', 'abc', 1, ?, ?, NULL)", [
    ...[callId, T0],
    blob(`Bash ${CANARY}`),
  ]);
  return logId;
}
