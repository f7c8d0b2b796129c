import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_KEY } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { StoreConnection } from "./connection.ts";
import { openSqliteStore } from "./open.ts";

const OFF = 0n;
const NORMAL = 1n;
const FULL = 2n;

// That a commit reached the platter cannot be seen without cutting the power: what is held here is what SQLite was
// told, within the transaction.
test("[SES-03 R15] a batch that must survive the loss of power is synced to the disk, any other is left to the system", async () => {
  await using sample = await openConnection();
  const { connection } = sample;
  const synchronous = () => setting(connection, "synchronous");
  connection.transaction("process", () => connection.run("UPDATE sealing SET since = '2025'"));
  const seen = (["process", "power", "power", "process"] as const).map((durability) =>
    connection.transaction(durability, synchronous),
  );
  expect(seen).toEqual([NORMAL, FULL, FULL, NORMAL]);
});

test("[PERF-02 SES-03] the first transaction in an empty write-ahead log syncs nothing, and writes nothing back", async () => {
  await using sample = await openConnection();
  const { connection } = sample;
  connection.first("SELECT 1 FROM logs"); // makes an empty log
  const settings = () => ["synchronous", "wal_autocheckpoint"].map((name) => setting(connection, name));
  const inTransaction = () => connection.transaction("process", settings);
  expect([inTransaction(), inTransaction()]).toEqual([
    [OFF, 0n],
    [NORMAL, 4_000n],
  ]);
});

test("[SES-03 R15] after the first transaction every statement has its syncs, whether that one failed or not", async () => {
  for (const end of ["COMMIT", "ROLLBACK"]) {
    await using sample = await openConnection();
    const { connection } = sample;
    connection.first("SELECT 1 FROM logs");
    const settings = () => ["synchronous", "wal_autocheckpoint"].map((name) => setting(connection, name));
    const failure = new Error("the work failed");
    const seen: unknown[] = [];
    try {
      connection.transaction("process", () => {
        seen.push(settings());
        if (end === "ROLLBACK") throw failure;
      });
    } catch (thrown) {
      expect(thrown).toBe(failure);
    }
    seen.push(settings());
    expect(seen).toEqual([
      [OFF, 0n],
      [NORMAL, 4_000n],
    ]);
  }
});

test("[SES-03 R15] a first transaction that could not begin, as another process has the lock, leaves the syncs on", async () => {
  await using sample = await openConnection();
  const { connection } = sample;
  connection.first("SELECT 1 FROM logs");
  using other = StoreConnection.open(connection.path, 0);
  other.transaction("process", () => {
    const begin = () => connection.transaction("process", () => undefined);
    expect(begin).toThrow(expect.objectContaining({ reason: "StoreBusy" }));
  });
  expect(setting(connection, "synchronous")).toBe(NORMAL);
});

test("[PERF-02 SES-03] a transaction in a log that another process has written to is synced as ever", async () => {
  await using sample = await openConnection();
  using other = StoreConnection.open(sample.connection.path, 0);
  other.transaction("process", () => other.run("UPDATE sealing SET since = '2025'"));
  const { connection } = sample;
  expect(connection.transaction("process", () => setting(connection, "synchronous"))).toBe(NORMAL);
});

test("[SES-01 SES-17 R17] the file is set up as the store needs it, and events above an id are one range of it", async () => {
  await using sample = await openConnection();
  const { connection } = sample;
  const settings = ["journal_mode", "foreign_keys", "trusted_schema", "auto_vacuum", "journal_size_limit"];
  const values = settings.map((name) => setting(connection, name));
  expect(values).toEqual(["wal", 1n, 0n, 2n, 67_108_864n]);
  const plan = connection.all("EXPLAIN QUERY PLAN SELECT * FROM events WHERE log = 1 AND id > 5 ORDER BY id");
  expect(plan.map(({ detail }) => detail)).toEqual(["SEARCH events USING PRIMARY KEY (log=? AND id>?)"]);
});

function setting(connection: StoreConnection, name: string): unknown {
  return Object.values(connection.first(`PRAGMA ${name}`) ?? {})[0];
}

/** A connection to an empty store. */
async function openConnection() {
  const directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  await (await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY }))[Symbol.asyncDispose]();
  const connection = StoreConnection.open(path, 0);
  return {
    connection,
    async [Symbol.asyncDispose]() {
      connection[Symbol.dispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
