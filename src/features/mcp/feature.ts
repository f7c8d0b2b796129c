import { defined } from "../../base/defined.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { MCP_COMMANDS } from "./commands.ts";
import { mcpSection } from "./config.ts";
import { MCP_FILES } from "./declared/trust-files.ts";
import type { EngineServers } from "./engine-servers.ts";
import { MCP_TOOLS } from "./tools.ts";

/** MCP servers as sources of tools, prompts and resources (MCP-01). */
export const mcpFeature: Feature<EngineServers> = {
  name: "mcp",
  config: [mcpSection],
  tools: MCP_TOOLS,
  commands: MCP_COMMANDS,
  trust: { layouts: MCP_FILES },
  check: {
    settings: async (settings) => (await import("./declared/check-servers.ts")).serverMistakes(settings),
    files: async (at) => (await import("./declared/check-servers.ts")).checkServerFiles(at),
  },
  offers: {
    tools: async (context) => (await import("./declared/server-tools.ts")).serverTools(context),
    profile: (profile) => ({
      mcp_servers: settingsOf(mcpSection, { profile }).map((server) => ({
        name: server.name,
        transport: server.transport,
        ...defined({ discovery: server.discovery }),
        pinned: server.transport === "stdio" && server.sha256 !== undefined,
      })),
    }),
  },
  serverCreds: async () => ({ run: (await import("./login/mcp-creds.ts")).runMcpCreds }),
  startsPrograms: true,
  openEngine: async (host) => (await import("./engine-servers.ts")).openEngineServers(host),
  isUsed: (plan) =>
    settingsOf(mcpSection, plan).length > 0 || plan.kinds.has("mcp") || plan.wishes.mcpServers !== undefined,
  open: async (host, engine) => (await import("./open.ts")).openMcp(host, engine),
};
