import type { SQLQueryBindings } from "bun:sqlite";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { event, intent, LOG_KEY, newLog, says, T0, texts, turn } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { eventsOf, UNREADABLE_RUN_MAX } from "../../app/sessions/read.ts";
import { tableOfSessions } from "../../app/sessions/table.ts";
import { hasReason } from "../../base/errors.ts";
import type { CallId, LogId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { planRetention } from "../store/retention.ts";
import type { NewLog, SessionStore } from "../store/store.ts";
import { digestOf } from "../transcript/digest.ts";
import { renderMarkdown } from "../transcript/markdown/markdown.ts";
import { openSqliteStore } from "./open.ts";

const RUNS = 150;
const SLOW_MS = 300_000;
const NOW = Date.parse(T0) + 90 * 86_400_000;
const { signal } = new AbortController();

/** Tables with rows of a log, and which of them are its own. */
const TABLES = {
  logs: "num = ?",
  runs: "log = ?",
  leases: "log = ?",
  events: "log = ?",
  costs: "log = ?",
  messages: "log = ?",
  tool_call_intents: "log = ?",
  data_keys: "log = ?",
  key_spans: "log = ?",
} as const;
type Table = keyof typeof TABLES;

/** Values of each type that SQLite accepts, as a faulty write would leave them. */
const bytes = fc.uint8Array({ maxLength: 80 });
const VALUES = {
  INTEGER: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(-1n, 0n, 1_000n, 2n ** 40n, 2n ** 53n, 2n ** 62n),
  ),
  TEXT: fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom("", "{}", "[]", "null", '{"turn":null}', '{"content":7}'),
  ),
  BLOB: bytes,
  REAL: fc.double(),
} as const;

interface Column {
  readonly table: Table;
  readonly name: string;
  readonly type: keyof typeof VALUES;
  readonly nullable: boolean;
}

interface Sample {
  /** The file of a store with two sessions. */
  readonly file: Uint8Array;
  readonly damaged: NewLog;
  readonly other: NewLog;
  readonly columns: readonly Column[];
}

test(
  "[SES-16 REL-06] whatever stands in one place of one session, the others are listed and read as before, what of it can be read is, and the rest is named",
  async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    const sample = await makeSample(path);
    const { damaged, other } = sample;
    const untouched = await openPlaced(path, sample.file, async (store) => ({
      whole: await whole(store, damaged.logId),
      other: await whole(store, other.logId),
    }));
    const valuesOf = ({ type, nullable }: Column) => {
      const value: fc.Arbitrary<SQLQueryBindings> = VALUES[type];
      return nullable ? fc.option(value) : value;
    };
    const place = fc.constantFrom(...sample.columns).chain((column) =>
      fc.record({
        column: fc.constant(column),
        row: fc.nat(8),
        value: valuesOf(column),
      }),
    );
    const property = fc.asyncProperty(place, async ({ column, row, value }) => {
      const file = changed(sample.file, path, { column, row, value });
      if (file === undefined) return; // the file's own rules forbid it
      await openPlaced(path, file, async (store) => {
        expect(await whole(store, other.logId)).toEqual(untouched.other);
        const listed = await store.list({ limit: 9 });
        expect(listed.find(({ logId }) => logId === other.logId)).toEqual(untouched.other.info);
        if (column.table !== "logs" || !HIDES.has(column.name)) expect(listed.length).toBe(2);
        const table = { nowMs: NOW, columns: 200, all: true, store: { find: async () => undefined } };
        expect((await tableOfSessions(listed, table)).length).toBe(listed.length + 1);
        planRetention(listed, () => 30, { now: NOW, lastDay: "trusted" });
        await readAll(store, damaged.logId, untouched.whole.events);
        for await (const finding of store.check("full", signal)) expect(finding.text).not.toBe("");
        await store.maintain(signal);
        await clearly(store.expire(damaged.logId, "2026-01-01"));
        await clearly(store.delete(damaged.logId));
        expect(await whole(store, other.logId)).toEqual(untouched.other);
      });
    });
    await holds(property, RUNS);
  },
  SLOW_MS,
);

for (const [what, sql] of Object.entries({
  "the row that says who holds it is gone": "DELETE FROM leases WHERE log = 1",
  "who holds it cannot be read": "UPDATE leases SET pid = 7, process_start = NULL WHERE log = 1",
  "its runs are gone": "DELETE FROM runs WHERE log = 1",
  "its turns are no number of turns": "UPDATE logs SET turns = 4611686018427387904 WHERE num = 1",
  "a message has a number near the largest":
    "UPDATE messages SET seq = 8754889587344648291 WHERE log = 1 AND seq = 1",
  "its events have numbers that no event has":
    "UPDATE events SET id = 4611686018427387904 WHERE log = 1 AND id = 8",
  "its key is of no day": "UPDATE data_keys SET day = 'yesterday' WHERE log = 1",
})) {
  test(`[SES-16] a session is listed, found and can be deleted, and the others are left alone, where ${what}`, async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    const { file, damaged, other } = await makeSample(path);
    const before = await openPlaced(path, file, (store) => whole(store, other.logId));
    place(path, file);
    {
      using database = new Database(path);
      database.run("PRAGMA foreign_keys = OFF");
      database.run(sql);
    }
    await using store = await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY });
    const listed = await store.list({ limit: 9 });
    expect(listed.map(({ logId }) => logId).sort()).toEqual([damaged.logId, other.logId].sort());
    expect(await store.find(damaged.logId)).toMatchObject({
      logId: damaged.logId,
      workingDir: damaged.workingDir,
    });
    planRetention(listed, () => 30, { now: NOW, lastDay: "trusted" });
    await clearly(store.messagesAt(damaged.logId, 4));
    await store.delete(damaged.logId);
    expect(await store.find(damaged.logId)).toBeUndefined();
    expect(await whole(store, other.logId)).toEqual(before);
  });
}

/** Columns whose value can mark a session as deleted, or as a branch that broke off; neither is shown. */
const HIDES: ReadonlySet<string> = new Set(["deleted", "branch_at", "log_id"]);

/** Every query about a session answers, or reports damage: never fails in another way. */
async function readAll(store: SessionStore, logId: LogId, before: readonly Envelope[]): Promise<void> {
  const events = await clearly(store.events(logId, 0, 1_000));
  // What is given is what was written, though it may be less.
  for (const each of events ?? []) expect(before).toContainEqual(each);
  await clearly(store.eventsBefore(logId, 1_000, 1_000));
  await clearly(store.messages(logId));
  await clearly(store.messagesAt(logId, 4));
  await clearly(store.orphans(logId));
  await clearly(store.costs(logId, 0));
  await clearly(store.expired(logId));
  const info = await clearly(store.find(logId));
  if (info === undefined) return;
  const clock = testWorld().clock;
  const told = await clearly(Array.fromAsync(eventsOf(store, info, { signal, clock })));
  if (told === undefined) return;
  // A number that is far too high is not counted up to. If it is that of the last event, one fewer can be read.
  const most = Math.min(info.lastEvent, before.length + UNREADABLE_RUN_MAX);
  const lastIsAway = events !== undefined && !events.some(({ id }) => id === before.length);
  expect(told.length).toBe(most > before.length && lastIsAway ? most - 1 : most);
  const digest = await digestOf(each(told));
  expect(digest.turns.length).toBeLessThanOrEqual(3);
  for await (const text of renderMarkdown(info, each(told))) expect(typeof text).toBe("string");
}

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/** @throws what is neither a value nor a clear error. */
async function clearly<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (thrown) {
    if (hasReason(thrown, "StoreCorrupt") || hasReason(thrown, "SessionMissing")) {
      expect(thrown.message.length).toBeGreaterThan(20);
      return undefined;
    }
    throw thrown;
  }
}

async function whole(store: SessionStore, logId: LogId) {
  return {
    info: await store.find(logId),
    events: await store.events(logId, 0, 1_000),
    messages: await store.messages(logId),
    orphans: await store.orphans(logId),
    costs: await store.costs(logId, 0),
  };
}

async function openPlaced<Result>(
  path: string,
  file: Uint8Array,
  use: (store: SessionStore) => Promise<Result>,
): Promise<Result> {
  place(path, file);
  await using store = await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY });
  return await use(store);
}

function place(path: string, file: Uint8Array): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  writeFileSync(path, file);
}

/** The file with another value in one place of the damaged session; undefined where its rules allow none. */
function changed(
  file: Uint8Array,
  path: string,
  { column, row, value }: { readonly column: Column; readonly row: number; readonly value: SQLQueryBindings },
): Uint8Array | undefined {
  place(path, file);
  {
    using database = new Database(path);
    database.run("PRAGMA foreign_keys = OFF");
    const { table, name } = column;
    const key = database
      .query(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`)
      .all();
    const keys = (key as { name: string }[]).map((each) => each.name).join(", ");
    try {
      database.run(
        `UPDATE ${table} SET ${name} = ? WHERE (${keys}) IN
         (SELECT ${keys} FROM ${table} WHERE ${TABLES[table]} ORDER BY ${keys} LIMIT 1 OFFSET ?)`,
        [value, DAMAGED_NUM, row],
      );
    } catch {
      return undefined;
    }
    database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  return readFileSync(path);
}

/** The number of the log that was made first. */
const DAMAGED_NUM = 1;

async function makeSample(path: string): Promise<Sample> {
  const world = testWorld();
  const [damaged, other] = [newLog(world), newLog(world)];
  {
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    for (const log of [damaged, other]) {
      await using writer = await store.create(log, world.machine);
      const open = intent(world, "Bash");
      const done = intent(world, "Read");
      await writer.append(
        {
          events: [
            ...turn(log.session, 1, { turn: 1, text: "go", at: T0 }),
            ...texts(log.session, 3, ["one", "two"]),
            event(log.session, 5, {
              kind: "ToolResult",
              payload: { callId: done.callId as CallId, content: [{ type: "text", text: "seen" }] },
            }),
            event(log.session, 6, {
              kind: "CostIncremented",
              payload: {
                provider: "p",
                model: "m",
                inputTokens: 1,
                outputTokens: 1,
                usd: 0.5,
                turn: 1,
              } as never,
            }),
          ],
          messages: [
            { after: 2, turn: 1, message: says("user", "go") },
            { after: 4, turn: 1, message: says("assistant", "one two"), boundary: true },
          ],
          intents: [open, done],
          outcomes: [{ callId: done.callId, outcome: "ok", completedAt: T0, resultRef: 5 }],
        },
        "power",
      );
      const later = turn(log.session, 7, { turn: 2, text: "again", at: T0 });
      await writer.append({ events: later }, "power");
    }
  }
  using database = new Database(path);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const columns = (Object.keys(TABLES) as Table[]).flatMap((table) =>
    (
      database
        .query(`SELECT name, type, "notnull", pk FROM pragma_table_info('${table}')`)
        .all() as ColumnInfo[]
    ).map(({ name, type, notnull }): Column => ({ table, name, type, nullable: notnull === 0 })),
  );
  return { file: readFileSync(path), damaged, other, columns };
}

interface ColumnInfo {
  readonly name: string;
  readonly type: keyof typeof VALUES;
  readonly notnull: number;
}
