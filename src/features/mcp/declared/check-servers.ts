import { mistakesIn } from "../../../config/mistakes.ts";
import { saidOf } from "../../../config/settings/read-section.ts";
import { readProjectItems } from "../../../guard/trust/review/find-items.ts";
import type {
  CheckedFile,
  FilesToCheck,
  SettingsOfFile,
  SettingsToCheck,
} from "../../../session/commands/settings-check.ts";
import type { Mistake } from "../../../session/config-section.ts";
import type { McpServer } from "../config.ts";
import { mcpSection } from "../config.ts";
import { idleRulesIn, readKnownServers } from "../known-servers.ts";
import { isSameServer } from "../mcp-rules.ts";
import { readAcknowledgedServers } from "./declared-servers.ts";
import { MCP_FILES } from "./trust-files.ts";

/**
 * Returns the servers of a profile whose names `config.toml` has too, and as warnings the rules that match no tool of a
 * server: a start ignores them until it knows the server.
 */
export async function serverMistakes({
  said,
  config,
  world,
  paths,
}: SettingsToCheck): Promise<readonly Mistake[]> {
  const [userServers, servers] = [config === undefined ? [] : serversOf(config), serversOf(said)];
  const known = await readKnownServers([...userServers, ...servers], { world, paths });
  return [
    ...servers.flatMap((server) => sameNameMistakes(server, userServers)),
    ...idleRulesIn([said.permissions], known).map(({ rule, problem }): Mistake => {
      return { weight: "warning", ...rule.where, problem: `"${rule.text}" has no effect: ${problem}` };
    }),
  ];
}

/** Reads the project's declarations of servers, with their mistakes. A session starts without them, too. */
export async function checkServerFiles({
  world,
  root,
}: Pick<FilesToCheck, "world" | "root">): Promise<readonly CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const { path, files } of (await readProjectItems(world.files, root, MCP_FILES)).items) {
    const [file] = files;
    if (file === undefined) continue;
    const { bytes } = file;
    const { mistakes } = await mistakesIn((following) => readAcknowledgedServers({ path, bytes }, following));
    checked.push({
      path,
      scope: "project",
      mistakes: mistakes.map((each) => ({ ...each, weight: "warning" })),
    });
  }
  return checked;
}

function serversOf({ sections }: Pick<SettingsOfFile, "sections">): readonly McpServer[] {
  return saidOf(sections, mcpSection) ?? [];
}

function sameNameMistakes(server: McpServer, userServers: readonly McpServer[]): readonly Mistake[] {
  const first = userServers.find((each) => isSameServer(each.name, server.name));
  if (first === undefined) return [];
  const { path, line } = first.where;
  const problem = `config.toml has a server of this name: "${first.name}" (${path}:${line})`;
  return [{ weight: "error", ...server.where, problem }];
}
