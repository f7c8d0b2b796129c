import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { PermissionSettings } from "../../session/settings/permission-settings.ts";
import {
  mapToolName,
  namesTool,
  serverToolPrefix,
  splitServerToolName,
} from "../../tools/server-tool-names.ts";
import type { Tool } from "../../tools/tool.ts";
import type { McpServer } from "./config.ts";
import type { IdleRule } from "./mcp-rules.ts";
import { idleRules, isSameServer } from "./mcp-rules.ts";
import { declarationHash } from "./resolve-spec.ts";
import { ServerRecords } from "./server/server-records.ts";
import type { ToolDefinition } from "./tools/definition.ts";
import { planOnlyTool } from "./tools/mcp-tool.ts";
import { namedTools } from "./tools/names.ts";

/** A declared server and its remembered tools, without starting it. */
export interface KnownServer {
  readonly name: string;
  /** The tools at the server's last start; undefined if it has never listed any. */
  readonly tools: readonly Tool[] | undefined;
}

/**
 * Returns the declared servers with the tools remembered for them. A record that cannot be read counts as unknown
 * tools.
 */
export async function readKnownServers(
  servers: readonly McpServer[],
  { world, paths }: Pick<EngineOptions, "world" | "paths">,
): Promise<readonly KnownServer[]> {
  const records = new ServerRecords(join(paths.config, "mcp-servers"), world.random);
  return await Promise.all(
    servers.map(async (server) => {
      const { name } = server;
      const definitions = await toolsIn(records, server);
      const tools =
        definitions &&
        namedTools(name, definitions).map(({ definition, ...names }) =>
          planOnlyTool({ ...names, inputSchema: definition.inputSchema }),
        );
      return { name, tools };
    }),
  );
}

/**
 * Finds a tool by either spelling of its name. For a server that has never listed its tools, returns a tool of that
 * name that accepts any input.
 */
export function findKnownTool(name: string, servers: readonly KnownServer[]): Tool | undefined {
  const known = servers.flatMap(({ tools = [] }) => tools).find((tool) => namesTool(name, tool));
  if (known !== undefined) return known;
  const parts = splitServerToolName(name);
  if (parts === undefined || parts.tool === "*") return undefined;
  const server = servers.find((each) => isSameServer(each.name, parts.server));
  if (server === undefined || server.tools !== undefined) return undefined;
  const prefix = serverToolPrefix(server.name);
  const names = { name: `${prefix}${mapToolName(parts.tool)}`, spelled: `${prefix}${parts.tool}` };
  return planOnlyTool({ ...names, inputSchema: { type: "object" } });
}

/** Returns the rules that match no tool, as far as the servers' tools are known. */
export function idleRulesIn(
  said: readonly PermissionSettings[],
  servers: readonly KnownServer[],
): readonly IdleRule[] {
  const rules = said.flatMap((each) => each.rules);
  return servers.flatMap(({ name, tools = [] }) => idleRules(rules, { name, tools }));
}

async function toolsIn(
  records: ServerRecords,
  server: McpServer,
): Promise<readonly ToolDefinition[] | undefined> {
  try {
    const record = await records.read({ name: server.name, declaration: declarationHash(server) });
    return record?.tools;
  } catch (thrown) {
    if (thrown instanceof HarnessError) return undefined; // a session with this server reports it
    throw thrown;
  }
}
