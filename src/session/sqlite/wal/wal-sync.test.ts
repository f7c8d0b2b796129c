import { expect, test } from "bun:test";
import { join } from "node:path";
import { LOG_KEY } from "../../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { openSqliteStore } from "../open.ts";
import { WalSync } from "./wal-sync.ts";

test("[SES-03 R15] a store without a write-ahead log is reported, never taken as synced", async () => {
  await using directory = temporaryDirectory();
  const sync = new WalSync(join(directory.path, "none.db"));
  expect(sync.isPossible).toBe(false);
  expect(await sync.sync().catch((thrown: unknown) => thrown)).toMatchObject({ reason: "StoreUnwritable" });
});

test("[SES-03 R15] callers during a sync share the next one, which begins after they came", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  await using _store = await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY });
  const sync = new WalSync(path);
  const running = sync.sync();
  const [next, shared] = [sync.sync(), sync.sync()];
  expect(shared).toBe(next);
  expect(next).not.toBe(running);
  await Promise.all([running, next]);
  expect(sync.isPossible).toBe(true);
});
