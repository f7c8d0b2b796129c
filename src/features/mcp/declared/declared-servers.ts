import type { AcknowledgedFile } from "../../../config/project.ts";
import { readOnly } from "../../../config/settings/read-section.ts";
import type { Following } from "../../../config/table.ts";
import { decodeText, invalid, parseToml } from "../../../config/toml.ts";
import type { McpServer } from "../config.ts";
import { isJson, mcpSection, repositoryServerProblems } from "../config.ts";

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
