import { EMBEDDED } from "../../config/profile-files.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { SessionFeatures, SessionHost } from "../../session/host.ts";

/**
 * Returns the profile of a session with the skills, MCP servers and tools that are loaded in it ([A] § Slash commands).
 */
export function sessionProfile(
  { plan, model, registry, session }: SessionHost,
  { lists }: SessionFeatures,
): ResultOf<"GetSessionProfile"> {
  const { profile, reference } = plan();
  return {
    profile: profile.name,
    reference,
    path: profile.path,
    source: profile.path.startsWith(EMBEDDED) ? "embedded" : "user",
    model: model.name,
    skills: lists.skills().map(({ name }) => name),
    mcp_servers: lists.mcpServers().map(({ of: _of, ...each }) => ({ ...each, sessions: [session] })),
    tools: registry.list().map(({ tool, source }) => ({ name: tool.name, source })),
  };
}
