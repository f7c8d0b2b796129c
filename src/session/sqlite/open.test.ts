import { join } from "node:path";
import { sessionStoreContract } from "../../../test/contracts/session-store.ts";
import { closedWith, LOG_KEY } from "../../../test/support/store-rig.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { openSqliteStore } from "./open.ts";

sessionStoreContract("SQLite", async (world) => {
  const directory = temporaryDirectory();
  const store = await openSqliteStore({ path: join(directory.path, "sessions.db"), world, logKey: LOG_KEY });
  return closedWith(store, directory);
});
