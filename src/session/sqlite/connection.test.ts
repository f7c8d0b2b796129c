import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_KEY } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { StoreConnection } from "./connection.ts";
import { openSqliteStore } from "./open.ts";

const NORMAL = 1n;
const FULL = 2n;

// That a commit reached the platter cannot be seen without cutting the power: what is held here is what SQLite was
// told, within the transaction.
test("[SES-03 R15] a batch that must survive the loss of power is synced to the disk, any other is left to the system", async () => {
  await using sample = await openConnection();
  const { connection } = sample;
  const synchronous = () => connection.first("PRAGMA synchronous")?.["synchronous"];
  const seen = (["process", "power", "power", "process"] as const).map((durability) =>
    connection.transaction(durability, synchronous),
  );
  expect(seen).toEqual([NORMAL, FULL, FULL, NORMAL]);
});

test("[SES-01 SES-17 R17] the file is set up as the store needs it, and events above an id are one range of it", async () => {
  await using sample = await openConnection();
  const { connection } = sample;
  const settings = ["journal_mode", "foreign_keys", "trusted_schema", "auto_vacuum", "journal_size_limit"];
  const values = settings.map((name) => Object.values(connection.first(`PRAGMA ${name}`) ?? {})[0]);
  expect(values).toEqual(["wal", 1n, 0n, 2n, 67_108_864n]);
  const plan = connection.all("EXPLAIN QUERY PLAN SELECT * FROM events WHERE log = 1 AND id > 5 ORDER BY id");
  expect(plan.map(({ detail }) => detail)).toEqual(["SEARCH events USING PRIMARY KEY (log=? AND id>?)"]);
});

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
