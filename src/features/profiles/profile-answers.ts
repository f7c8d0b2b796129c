import { EMBEDDED } from "../../config/profile-files.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SessionSurface } from "../../session/session-part.ts";
import type { SwitchSources } from "./succession.ts";
import { wantedProfile } from "./wanted-profile.ts";

/** Checks whether a session can go on under a profile. @throws HarnessError what a switch to it would be refused with. */
export async function checkedProfile(
  sources: SwitchSources,
  { profile: wanted }: QueryOf<"CheckProfile">,
): Promise<ResultOf<"CheckProfile">> {
  const { profile } = await wantedProfile(sources, wanted);
  return { profile: profile.name, path: profile.path };
}

/** Returns the profile of a session with the skills, MCP servers and tools that are loaded in it ([A] § Slash commands). */
export function sessionProfile(
  { session, profile, reference, slot, defaults }: SwitchSources,
  tools: ReturnType<SessionSurface["tools"]>,
): ResultOf<"GetSessionProfile"> {
  const { offered } = defaults;
  return {
    profile: profile.name,
    reference,
    path: profile.path,
    source: profile.path.startsWith(EMBEDDED) ? "embedded" : "user",
    model: slot.name,
    skills: offered.skills(session).map(({ name }) => name),
    mcp_servers: offered.mcpServers(session),
    tools: tools.map(({ tool, source }) => ({ name: tool.name, source })),
  };
}
