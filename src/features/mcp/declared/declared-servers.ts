import type { AcknowledgedFile } from "../../../config/project.ts";
import { readOnly } from "../../../config/settings/read-section.ts";
import type { Following } from "../../../config/table.ts";
import { invalid, parseToml, writtenIn } from "../../../config/toml.ts";
import type { Where } from "../../../session/config-section.ts";
import type { McpServer } from "../config.ts";
import { mcpSection, WORKSPACE } from "../config.ts";

/**
 * Reads `.cinch/mcp.toml` or `.cinch/mcp.json` of a repository, from the bytes that a person has acknowledged. The JSON is
 * the common one: `{"mcpServers": {NAME: {"command", "args", "url" …}}}`.
 * @throws HarnessError ConfigInvalid with file and key, also for keys that a repository may not set.
 */
export async function acknowledgedServers(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<readonly McpServer[]> {
  const file = isJson(path)
    ? (await import("./mcp-json.ts")).serversOfJson(path, writtenIn(path, bytes, "JSON"))
    : await parseToml(path, bytes);
  const servers = readOnly(file, mcpSection, following);
  const [first] = projectsServerProblems(servers);
  if (first !== undefined) throw invalid(first.path, first.line, first.key, first.problem);
  return servers;
}

function isJson(path: string): boolean {
  return path.endsWith(".json");
}

/**
 * Returns the problems of servers that a repository declares, with their places (MCP-04).
 *
 * It names a program by its content, and gives it nothing of the user's: no variable, no token, no folder elsewhere.
 */
export function projectsServerProblems(
  servers: readonly McpServer[],
): readonly (Where & { readonly problem: string })[] {
  return servers.flatMap((server) => {
    const problem = projectsServerProblem(server);
    const { path, line } = server.where;
    if (problem === undefined) return [];
    if (isJson(path)) return [{ ...server.where, problem }]; // the key has the name in it
    return [{ path, line, key: mcpSection.name, problem: `${server.name}: ${problem}` }];
  });
}

function projectsServerProblem(server: McpServer): string | undefined {
  if (server.transport !== "stdio") {
    if (server.bearer) return "a repository may not send a token of yours (bearer)";
    return Object.keys(server.headers).length > 0 ? "a repository may not set headers" : undefined;
  }
  if (server.sha256 === undefined) return "a repository's servers need the sha256 of their program";
  if (Object.keys(server.env).length > 0 || server.passEnv.length > 0)
    return "a repository may not set env or pass_env";
  if (server.cwd !== undefined && server.cwd !== WORKSPACE)
    return `a repository's cwd can only be ${WORKSPACE}`;
  return undefined;
}
