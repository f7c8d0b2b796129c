import type { AcknowledgedFile } from "../../../config/project.ts";
import { readOnly } from "../../../config/settings/read-section.ts";
import type { Following } from "../../../config/table.ts";
import { decodeText, invalid, parseToml } from "../../../config/toml.ts";
import type { FilePosition } from "../../../session/config-section.ts";
import type { McpServer } from "../config.ts";
import { mcpSection, WORKSPACE } from "../config.ts";

/**
 * Reads `.cinch/mcp.toml` or `.cinch/mcp.json` of a repository, from the bytes that a person has acknowledged. The
 * JSON has the common shape: `{"mcpServers": {NAME: {"command", "args", "url" …}}}`.
 * @throws HarnessError ConfigInvalid with file and key, also for keys that a repository may not set.
 */
export async function readAcknowledgedServers(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<readonly McpServer[]> {
  const file = isJson(path)
    ? (await import("./mcp-json.ts")).parseMcpJson(path, decodeText(path, bytes, "JSON"))
    : await parseToml(path, bytes);
  const servers = readOnly(file, mcpSection, following);
  const [first] = repositoryServerProblems(servers);
  if (first !== undefined) throw invalid(first.path, first.line, first.key, first.problem);
  return servers;
}

function isJson(path: string): boolean {
  return path.endsWith(".json");
}

/**
 * Returns what is wrong with servers that a repository declares, with file, line and key (MCP-04).
 *
 * A repository must name a program by its content, and may not give it anything of the user's: no variables, no
 * token, no folder outside the workspace.
 */
export function repositoryServerProblems(
  servers: readonly McpServer[],
): readonly (FilePosition & { readonly problem: string })[] {
  return servers.flatMap((server) => {
    const problem = projectsServerProblem(server);
    const { path, line } = server.where;
    if (problem === undefined) return [];
    if (isJson(path)) return [{ ...server.where, problem }]; // the key contains the name
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
