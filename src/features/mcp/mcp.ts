import { settingsOf } from "../../config/settings/settings.ts";
import type { SessionPart } from "../../session/session-part.ts";
import { mcpSection } from "./config.ts";
import type { McpSources } from "./mcp-session.ts";

/**
 * The MCP servers of a session (MCP-01): those of config.toml and of the profile, then those of the project that a person
 * has acknowledged. Undefined where nothing declares one, and then nothing of it is loaded.
 * @throws HarnessError McpServersConflict.
 */
export async function connecting(sources: McpSources): Promise<SessionPart | undefined> {
  const { profile, trust, defaults } = sources;
  const declared = settingsOf(mcpSection, { config: defaults.config, profile });
  if (declared.length === 0 && !trust.mayExtend("mcp")) return undefined;
  const { mcpSession } = await import("./mcp-session.ts");
  return mcpSession(sources);
}
