import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import { openMachineKey } from "../../src/credentials/machine-key.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import type { SessionStore } from "../../src/session/store/store.ts";

/** The session store that a cinch with this home has left, opened with its own machine key. */
export async function openHomeStore(home: string): Promise<SessionStore> {
  const world = hostWorld(SILENT_LOG);
  using machine = await openMachineKey({ directory: join(home, "config/cinch"), random: world.random });
  const logKey = { key: machine.derive("cinch log v1"), source: machine.source };
  return await openSqliteStore({ path: join(home, "data/cinch/sessions.db"), world, logKey });
}
