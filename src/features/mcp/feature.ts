import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { MCP_COMMANDS } from "./commands.ts";
import { mcpSection } from "./config.ts";
import type { EngineServers } from "./engine-servers.ts";
import { MCP_TOOLS } from "./tools.ts";

/** MCP servers as sources of tools, prompts and resources (MCP-01). */
export const mcpFeature: Feature<EngineServers> = {
  name: "mcp",
  config: [mcpSection],
  tools: MCP_TOOLS,
  commands: MCP_COMMANDS,
  startsPrograms: true,
  openEngine: async (host) => (await import("./engine-servers.ts")).openEngineServers(host),
  isUsed: (plan) => settingsOf(mcpSection, plan).length > 0 || plan.kinds.has("mcp"),
  open: async (host, engine) => (await import("./open.ts")).openMcp(host, engine),
};
