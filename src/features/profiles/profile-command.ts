import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { arrayAt } from "../../base/json.ts";
import { count } from "../../base/text/text.ts";
import { EMBEDDED, listProfiles } from "../../config/profile-files.ts";
import type { Accepted, CommandOf } from "../../protocol/commands/commands.ts";
import type { AttachedClient } from "../../session/access/client.ts";
import type { SessionSurface } from "../../session/session-part.ts";
import type { SwitchSources } from "./succession.ts";
import { wantedProfile } from "./wanted-profile.ts";

const VERBS = ["show", "list", "check"] as const;

/**
 * The custom commands `profile:…`: the profile of a session with the skills, MCP servers and tools that are loaded in it
 * ([A] § Slash commands), the profiles that there are, and whether one can be gone on under. The result is `{text}` for
 * people, with what programs need beside it.
 * @throws HarnessError InvalidCommand; for `check` what a switch to the profile would be refused with.
 */
export async function profileCommand(
  sources: SwitchSources,
  { verb, payload }: CommandOf<"CustomCommand">,
  { client, tools }: { readonly client: AttachedClient; readonly tools: ReturnType<SessionSurface["tools"]> },
): Promise<Accepted> {
  switch (VERBS.find((known) => known === verb)) {
    case "show":
      return shown(sources, tools);
    case "list":
      return await listed(sources);
    case "check":
      return await checked(sources, payload, client);
    case undefined:
      throw refused(verb, `there is no such command; there are ${VERBS.join(", ")}`);
  }
}

/** Whether a session can go on under a profile; changes nothing. */
async function checked(
  sources: SwitchSources,
  payload: unknown,
  { identityClass }: AttachedClient,
): Promise<Accepted> {
  if (identityClass !== "human") throw refused("check", "only a person may name a profile to go on under");
  const [wanted, ...more] = arrayAt(payload, "args");
  if (typeof wanted !== "string" || more.length > 0)
    throw refused("check", "write the name or path of a profile");
  const { profile } = await wantedProfile(sources, wanted);
  return {
    result: { text: `profile ${profile.name} can be used`, profile: profile.name, path: profile.path },
  };
}

function refused(verb: string, why: string): HarnessError<"InvalidCommand"> {
  return new HarnessError("InvalidCommand", { kind: `/profile:${verb}`, why });
}

function shown(
  { session, profile, reference, slot, defaults }: SwitchSources,
  tools: ReturnType<SessionSurface["tools"]>,
): Accepted {
  const { offered } = defaults;
  const skills = offered.skills(session).map(({ name }) => name);
  const servers = offered.mcpServers(session);
  const bySource = Map.groupBy(tools, ({ source }) => source);
  const lines = [
    `profile ${profile.name} (${placeOf(profile.path)}) · ${slot.name}`,
    `skills: ${skills.length === 0 ? "none" : skills.join(", ")}`,
    `MCP servers: ${servers.length === 0 ? "none" : servers.map((each) => `${each.name} (${each.state}, ${count(each.tools, "tool")})`).join(", ")}`,
    ...[...bySource].map(
      ([source, each]) => `tools of ${source}: ${each.map(({ tool }) => tool.name).join(", ")}`,
    ),
    "/profiles lists the others; /profiles:NAME goes on under one of them.",
  ];
  return {
    result: {
      text: lines.join("\n"),
      profile: profile.name,
      reference,
      path: profile.path,
      model: slot.name,
      skills,
      mcp_servers: servers,
      tools: tools.map(({ tool, source }) => ({ name: tool.name, source })),
    },
  };
}

async function listed({ profile, defaults }: SwitchSources): Promise<Accepted> {
  const { world, paths } = defaults;
  const names = await listProfiles(world, join(paths.config, "profiles"));
  const lines = names.map(
    ({ name, isOwn }) => `${name === profile.name ? "*" : " "} ${name}  ${isOwn ? "yours" : "embedded"}`,
  );
  return {
    result: {
      text: [...lines, "/profiles:NAME goes on under one of them."].join("\n"),
      profiles: names.map(({ name, isOwn }) => ({ name, source: isOwn ? "user" : "embedded" })),
    },
  };
}

function placeOf(path: string): string {
  return path.startsWith(EMBEDDED) ? "embedded" : path;
}
