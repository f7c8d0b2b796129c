import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import { LOG_KEY } from "./store-rig.ts";
import { testWorld } from "./world.ts";

/** Indexes every log of a store, and prints a line before and after each. */
const [path = ""] = Bun.argv.slice(2);
await using store = await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY });
const { signal } = new AbortController();
for (const { logId } of await store.list({ limit: 1_000 })) {
  console.log(logId);
  await store.search?.index(logId, signal);
}
console.log("done");
