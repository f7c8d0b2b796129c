import { join } from "node:path";
import { version } from "../../../package.json";
import { sizeText } from "../../base/text/size-text.ts";
import { count, plain } from "../../base/text/text.ts";
import type { World } from "../../base/world.ts";
import type { Credentials, HelperState } from "../../credentials/credentials.ts";
import type { HarnessPaths } from "../../session/plan/options.ts";
import type { OfferedBySessions } from "../../session/session-offers.ts";

const LABEL_COLUMNS = 12;
const NAME_CHARACTERS_MAX = 60;

export interface HealthSources {
  readonly world: Pick<World, "files" | "machine">;
  readonly paths: HarnessPaths;
  readonly credentials: Pick<Credentials, "state">;
  readonly offered: Pick<OfferedBySessions, "mcpServers">;
  /** How many sessions run here. */
  readonly live: () => number;
  /** Where the engine listens. */
  readonly listeners: () => readonly string[];
}

/** How every part of an engine is, a line each, for people (CMD-01, CRED-04, SES-04). Tells no secret. */
export async function healthText(sources: HealthSources): Promise<string> {
  const { world, paths, credentials, offered, live, listeners } = sources;
  const { helper, machineKey } = credentials.state();
  const servers = offered.mcpServers().map(({ name, state, tools }) => {
    const has = state === "running" ? ` (${count(tools, "tool")})` : "";
    return `${plain(name, NAME_CHARACTERS_MAX)} ${state}${has}`;
  });
  const database = join(paths.data, "sessions.db");
  const info = await world.files.stat(database);
  const lines = [
    ["engine", `cinch ${version}, process ${world.machine.pid}, ${count(live(), "session")}`],
    [
      "keys",
      `${helperText(helper)}; machine key ${machineKey === undefined ? "not used yet" : `from ${machineKey}`}`,
    ],
    ["sessions", info === undefined ? `${database} is not there` : `${database}, ${sizeText(info.size)}`],
    ["MCP servers", servers.length === 0 ? "none" : servers.join(", ")],
    [
      "listening",
      listeners().length === 0 ? "nowhere: this engine serves its own process" : listeners().join(", "),
    ],
  ] as const;
  return lines.map(([label, text]) => `${label.padEnd(LABEL_COLUMNS)} ${text}`).join("\n");
}

function helperText(helper: HelperState): string {
  switch (helper.kind) {
    case "none":
      return "no helper: there are none, or this process holds them";
    case "failed":
      return `the helper has failed ${helper.times} times`;
    default:
      return `the helper is ${helper.kind}`;
  }
}
