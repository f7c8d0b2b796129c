import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_KEY, newLog, texts } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { openSqliteStore } from "../open.ts";

test("[SES-01 SES-06 R37] the number of a deleted log is given to no other, so that its last writer writes into no other session", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  await using writing = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const [gone, next] = [newLog(world), newLog(world)];
  const writer = await writing.create(gone, world.machine);
  await writer.append({ events: texts(gone.session, 1, ["one"]) }, "process");
  edit(path, "UPDATE leases SET process_start = NULL"); // a log with a damaged lease can be deleted
  await store.delete(gone.logId);
  await using other = await store.create(next, world.machine);
  await other.append({ events: texts(next.session, 1, ["of another session"]) }, "process");
  const late = writer.append({ events: texts(gone.session, 2, ["too late"]) }, "process");
  await expect(late).rejects.toMatchObject({ reason: expect.any(String) });
  await other.append({ events: texts(next.session, 2, ["and on"]) }, "process");
  const events = await store.events(next.logId, 0, 9);
  expect(events.map(({ session, payload }) => [session, payload])).toEqual([
    [next.session, { text: "of another session" }],
    [next.session, { text: "and on" }],
  ]);
});

test("[SES-01] a log that does not get the next number is refused by the store itself", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const [first, second] = [newLog(world), newLog(world)];
  await using _first = await store.create(first, world.machine);
  await store.list({ limit: 1 });
  const copy = `INSERT INTO logs (num, log_id, working_dir, profile, model, created_at, updated_at)
    VALUES (1, '${second.logId}', '/', 'default', 'a:b', '', '')`;
  edit(path, "UPDATE leases SET pid = NULL");
  expect(() => edit(path, `DELETE FROM leases; DELETE FROM runs; DELETE FROM logs; ${copy}`)).toThrow();
});

function edit(path: string, sql: string): void {
  const database = new Database(path);
  try {
    database.run(sql);
  } finally {
    database.close();
  }
}
