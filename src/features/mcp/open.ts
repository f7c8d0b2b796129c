import { settingsOf } from "../../config/settings/settings.ts";
import type { OpenFeature } from "../../session/feature.ts";
import type { SessionHost } from "../../session/host.ts";
import { mcpSection } from "./config.ts";
import type { EngineServers } from "./engine-servers.ts";
import { SessionServers } from "./session/session-servers.ts";
import { resourceTools } from "./tools/resources.ts";

/**
 * Opens the MCP servers of a session (MCP-01): those of config.toml and of the profile, those that the client's user
 * has named for it, then those of the project that a person has acknowledged.
 * @throws HarnessError McpServersConflict.
 */
export async function openMcp(host: SessionHost, engine: EngineServers): Promise<OpenFeature> {
  const plan = host.plan();
  const { wishes } = plan;
  await using undo = new AsyncDisposableStack();
  const servers = undo.use(new SessionServers(host, engine));
  await servers.add(settingsOf(mcpSection, plan));
  await servers.addOfClient(wishes.mcpServers ?? []);
  undo.move(); // the session disposes of it
  return {
    tools: [
      ...servers.sources,
      ...(host.trust.has("mcp") ? [servers.ofProject("eager"), servers.ofProject("lazy")] : []),
      { name: "mcp", tools: () => resourceTools(() => servers.shared) },
    ],
    slashCommands: () => [...servers.commands(), ...servers.prompts.commands()],
    queries: { ExpandMcpPrompt: (query) => servers.expand(query) },
    mcpServers: () => servers.offered(),
    onInput: async () => {
      await servers.retryAfterLogins();
      return [];
    },
    onTurnEnd: async () => {
      // Lists the prompts ahead of their first use. Not needed without a person.
      if (wishes.attended) servers.prompts.commands();
    },
    commands: { ManageMcp: (command, client) => servers.manager.manage(command, client) },
    notices: () => servers.notices,
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}
