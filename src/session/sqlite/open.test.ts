import { join } from "node:path";
import { sessionStoreContract } from "../../../test/contracts/session-store.ts";
import { closedWith, LOG_KEY } from "../../../test/support/store-rig.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import type { World } from "../../base/world.ts";
import { openSqliteStore } from "./open.ts";

async function openIn(world: World) {
  const directory = temporaryDirectory();
  const store = await openSqliteStore({ path: join(directory.path, "sessions.db"), world, logKey: LOG_KEY });
  return closedWith(store, directory);
}

sessionStoreContract("SQLite", openIn);

sessionStoreContract("SQLite where it syncs the write-ahead log itself", async (world) =>
  openIn({ ...world, machine: { ...world.machine, platform: "darwin" } }),
);
