import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { PermissionSettings } from "../../config/sections/permissions.ts";
import type { EngineOptions } from "../../session/options.ts";
import { isNamed, mapped, partsOfServerTool, toolPrefix } from "../../tools/server-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { McpServer } from "./config.ts";
import type { IdleRule } from "./mcp-rules.ts";
import { idleRules, isSameServer } from "./mcp-rules.ts";
import { declarationOf } from "./mcp-spec.ts";
import { Records } from "./server/records.ts";
import type { Definition } from "./tools/definition.ts";
import { judgedTool } from "./tools/mcp-tool.ts";
import { namedTools } from "./tools/names.ts";

/** A server as it is known where none is started. */
export interface KnownServer {
  readonly name: string;
  /** As they were the last time; undefined of one that has never said which it has. */
  readonly tools: readonly Tool[] | undefined;
}

/** The servers that are declared, with what was remembered of their tools. What cannot be read counts as not known. */
export async function knownServers(
  servers: readonly McpServer[],
  { world, paths }: Pick<EngineOptions, "world" | "paths">,
): Promise<readonly KnownServer[]> {
  const records = new Records(join(paths.config, "mcp-servers"), world.random);
  return await Promise.all(
    servers.map(async (server) => {
      const { name } = server;
      const definitions = await toolsIn(records, server);
      const tools =
        definitions &&
        namedTools(name, definitions).map(({ definition, ...names }) =>
          judgedTool({ ...names, inputSchema: definition.inputSchema }),
        );
      return { name, tools };
    }),
  );
}

/**
 * The tool that a person means by a name, in either spelling. Of a server that has never said which tools it has, a tool of
 * that name, which takes anything.
 */
export function toolNamed(name: string, servers: readonly KnownServer[]): Tool | undefined {
  const known = servers.flatMap(({ tools = [] }) => tools).find((tool) => isNamed(name, tool));
  if (known !== undefined) return known;
  const parts = partsOfServerTool(name);
  if (parts === undefined || parts.tool === "*") return undefined;
  const server = servers.find((each) => isSameServer(each.name, parts.server));
  if (server === undefined || server.tools !== undefined) return undefined;
  const prefix = toolPrefix(server.name);
  const names = { name: `${prefix}${mapped(parts.tool)}`, spelled: `${prefix}${parts.tool}` };
  return judgedTool({ ...names, inputSchema: { type: "object" } });
}

/** The rules that hold nothing back, as far as it is known which tools the servers have. */
export function idleIn(
  said: readonly PermissionSettings[],
  servers: readonly KnownServer[],
): readonly IdleRule[] {
  const rules = said.flatMap((each) => each.rules);
  return servers.flatMap(({ name, tools = [] }) => idleRules(rules, { name, tools }));
}

async function toolsIn(records: Records, server: McpServer): Promise<readonly Definition[] | undefined> {
  try {
    const record = await records.read({ name: server.name, declaration: declarationOf(server) });
    return record?.tools;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return undefined; // a session that has the server says so
    throw thrown;
  }
}
