import { join } from "node:path";
import { version } from "../../../package.json";
import { defined } from "../../base/defined.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import type { Credentials } from "../../credentials/credentials.ts";
import type { EngineHealth } from "../../protocol/resources.ts";
import type { LiveSessions } from "../engine/live-sessions.ts";

export interface HealthSources {
  readonly world: Pick<World, "files" | "machine">;
  readonly paths: HarnessPaths;
  readonly credentials: Pick<Credentials, "state">;
  readonly offered: Pick<LiveSessions, "mcpServers">;
  /** Returns the number of sessions that run here. */
  readonly live: () => number;
  /** Returns the addresses that the engine listens on. */
  readonly listeners: () => readonly string[];
  /** Origins whose pages may talk to the engine. */
  readonly origins: readonly string[];
  /** Returns the health of features. */
  readonly features: () => Promise<Partial<EngineHealth>>;
}

/** Returns how every part of an engine is (CMD-01, CRED-04, SES-04). Contains no secret. */
export async function engineHealth(sources: HealthSources): Promise<EngineHealth> {
  const { world, paths, credentials, offered, live, listeners, origins } = sources;
  const { helper, machineKey } = credentials.state();
  const path = join(paths.data, "sessions.db");
  const info = await world.files.stat(path);
  return {
    ...(await sources.features()),
    version,
    pid: world.machine.pid,
    sessions: live(),
    key_helper: {
      state: helper.kind,
      ...(helper.kind === "failed" ? { failures: helper.times } : {}),
    },
    ...defined({ machine_key: machineKey }),
    database: { path, ...(info === undefined ? {} : { bytes: info.size }) },
    mcp_servers: offered.mcpServers(),
    listening: listeners(),
    ...(origins.length === 0 ? {} : { allowed_origins: [...origins] }),
  };
}
