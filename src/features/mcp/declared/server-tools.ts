import { settingsOf } from "../../../config/settings/settings.ts";
import type { RuntimeTools, RuntimeToolsContext } from "../../../session/commands/runtime-tools.ts";
import { isServerTool } from "../../../tools/server-tool-names.ts";
import { mcpSection } from "../config.ts";
import {
  findKnownTool,
  idleRulesIn,
  readKnownServers,
  serverOfTool,
  toolsOfServers,
  withLiveTools,
} from "../known-servers.ts";
import { idleRuleError } from "../mcp-rules.ts";
import { readAcknowledgedServers } from "./declared-servers.ts";

/**
 * Returns the tools of the declared servers, as a running session has them or as they were recorded. Starts nothing.
 */
export async function serverTools({
  plan,
  items,
  findLive,
  ...options
}: RuntimeToolsContext): Promise<RuntimeTools> {
  const declared = await Promise.all(
    items
      .filter(({ kind }) => kind === "mcp")
      .map(({ path, files: [file] }) =>
        readAcknowledgedServers({ path, bytes: file?.bytes ?? new Uint8Array() }),
      ),
  );
  const known = await readKnownServers([...settingsOf(mcpSection, plan), ...declared.flat()], options);
  const live = known.length === 0 ? undefined : await findLive();
  const servers = live === undefined ? known : withLiveTools(known, live);
  return {
    tools: toolsOfServers(servers),
    find: (name) => findKnownTool(name, servers),
    originOf: (name) => serverOfTool(name, servers)?.from,
    missing(name) {
      if (!isServerTool(name) || serverOfTool(name, servers) !== undefined) return undefined;
      const names = servers.map((server) => server.name).join(", ");
      return names === ""
        ? "no MCP server is declared; declare its server under [[mcp_servers]] in config.toml"
        : `no MCP server of that name is declared; there are ${names}`;
    },
    idleRules: (said) => idleRulesIn(said, servers).map((idle) => idleRuleError(idle).message),
  };
}
