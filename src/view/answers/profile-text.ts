import { count } from "../../base/text/text.ts";
import type { SessionProfile } from "../../protocol/resources.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/** Draws the profile of a session with what is loaded under it ([A] § Slash commands). */
export function profileText({ profile, path, source, model, skills, ...more }: SessionProfile): string {
  const servers = more.mcp_servers.map(
    ({ name, state, tools }) => `${name} (${state}, ${count(tools, "tool")})`,
  );
  const bySource = Map.groupBy(more.tools, (tool) => tool.source);
  const lines = [
    `profile ${profile} (${source === "embedded" ? source : path}) · ${model}`,
    `skills: ${listed(skills)}`,
    `MCP servers: ${listed(servers)}`,
    ...[...bySource].map(([from, tools]) => `tools of ${from}: ${tools.map(({ name }) => name).join(", ")}`),
    "/profiles lists the others; /profiles:NAME continues under one of them.",
  ];
  return lines.map(neutraliseLine).join("\n");
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
