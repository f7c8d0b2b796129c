import { join } from "node:path";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import { memorySessionStore } from "../../src/session/store/memory-store.ts";
import type { OpenStore } from "./store-rig.ts";
import { closedWith, LOG_KEY } from "./store-rig.ts";
import { temporaryDirectory } from "./world.ts";

/** Opens an empty store of each kind, by its name, for a test of what holds in both. */
export const BOTH_STORES: Readonly<Record<string, OpenStore>> = {
  memory: async (world) => memorySessionStore(world.machine),
  SQLite: async (world) => {
    const directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    return closedWith(await openSqliteStore({ path, world, logKey: LOG_KEY }), directory);
  },
};
