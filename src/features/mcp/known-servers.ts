import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { Files } from "../../base/world.ts";
import type { LiveTools } from "../../session/commands/runtime-tools.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { PermissionSettings } from "../../session/settings/permission-settings.ts";
import {
  mapToolName,
  namesTool,
  serverToolPrefix,
  splitServerToolName,
} from "../../tools/server-tool-names.ts";
import type { Tool } from "../../tools/tool.ts";
import { ToolFailure } from "../../tools/tool.ts";
import type { McpServer } from "./config.ts";
import type { IdleRule } from "./mcp-rules.ts";
import { idleRules, isSameServer } from "./mcp-rules.ts";
import { declarationHash } from "./resolve-spec.ts";
import { ServerRecords } from "./server/server-records.ts";
import { planOnlyTool } from "./tools/mcp-tool.ts";
import { namedTools } from "./tools/names.ts";
import { resourceTools } from "./tools/resources.ts";

/** A declared server and its tools, as far as they are known without starting it. */
export interface KnownServer {
  readonly name: string;
  /** Undefined: its tools are unknown. */
  readonly tools: readonly Tool[] | undefined;
  /** Origin of the tools, or the reason why they are unknown: a phrase for the person. */
  readonly from: string;
}

/**
 * Returns the declared servers with the tools remembered for them. A record that cannot be read counts as
 * unknown tools.
 */
export async function readKnownServers(
  servers: readonly McpServer[],
  { world, paths }: Pick<EngineOptions, "world" | "paths">,
): Promise<readonly KnownServer[]> {
  const records = new ServerRecords(join(paths.config, "mcp-servers"), world.random);
  return await Promise.all(servers.map((server) => knownServer(records, server, world.files)));
}

/**
 * Returns the servers with the tools that a running session has of them. Of the others, what was known before stays.
 */
export function withLiveTools(
  servers: readonly KnownServer[],
  { session, tools }: LiveTools,
): readonly KnownServer[] {
  return servers.map((server) => {
    const serverTools = tools.filter(({ name }) => name.startsWith(serverToolPrefix(server.name)));
    if (serverTools.length === 0) return server;
    const known = serverTools.map(
      ({ name, spelled = name, input_schema: inputSchema, person_only: personOnly }) =>
        planOnlyTool({ name, spelled, inputSchema: { ...inputSchema }, personOnly }),
    );
    return { name: server.name, tools: known, from: `as the live session ${session} has it` };
  });
}

/**
 * Returns the tools that a session has of these servers, as far as they are known. They can be planned, and not run.
 */
export function toolsOfServers(servers: readonly KnownServer[]): readonly Tool[] {
  if (servers.length === 0) return [];
  const connected = () => Promise.reject(new ToolFailure("the servers are only judged here"));
  const resources = resourceTools(() => servers.map(({ name }) => ({ spec: { name }, connected })));
  return [...servers.flatMap(({ tools = [] }) => tools), ...resources];
}

/** Returns the server of a tool, by either spelling of the tool's name. */
export function serverOfTool(name: string, servers: readonly KnownServer[]): KnownServer | undefined {
  const parts = splitServerToolName(name);
  return parts && servers.find((each) => isSameServer(each.name, parts.server));
}

/**
 * Finds a tool by either spelling of its name. For a server that has never listed its tools, returns a tool of that
 * name that accepts any input.
 */
export function findKnownTool(name: string, servers: readonly KnownServer[]): Tool | undefined {
  const known = toolsOfServers(servers).find((tool) => namesTool(name, tool));
  if (known !== undefined) return known;
  const parts = splitServerToolName(name);
  if (parts === undefined || parts.tool === "*") return undefined;
  const server = serverOfTool(name, servers);
  if (server === undefined || server.tools !== undefined) return undefined;
  const prefix = serverToolPrefix(server.name);
  const names = { name: `${prefix}${mapToolName(parts.tool)}`, spelled: `${prefix}${parts.tool}` };
  return planOnlyTool({ ...names, inputSchema: { type: "object" } });
}

/** Returns the rules that match no tool, as far as the servers' tools are known. */
export function idleRulesIn(
  settings: readonly PermissionSettings[],
  servers: readonly KnownServer[],
): readonly IdleRule[] {
  const rules = settings.flatMap((each) => each.rules);
  return servers.flatMap(({ name, tools = [] }) => idleRules(rules, { name, tools }));
}

async function knownServer(
  records: ServerRecords,
  server: McpServer,
  files: Pick<Files, "stat">,
): Promise<KnownServer> {
  const { name } = server;
  const key = { name, declaration: declarationHash(server) };
  const unknown = (why: string): KnownServer => ({
    ...{ name, tools: undefined },
    from: `unknown: ${why}, so any name and input is taken; start a session with it`,
  });
  try {
    const definitions = (await records.read(key))?.tools;
    if (definitions === undefined) return unknown(`${name} has never listed its tools here`);
    const tools = namedTools(name, definitions).map(({ definition, ...names }) =>
      planOnlyTool({ ...names, inputSchema: definition.inputSchema }),
    );
    const changedMs = (await files.stat(records.path(key)))?.modifiedMs;
    const at = changedMs === undefined ? "" : ` on ${new Date(changedMs).toISOString()}`;
    return { name, tools, from: `as recorded${at}, since no session that runs here has it` };
  } catch (thrown) {
    if (thrown instanceof HarnessError) return unknown(thrown.message); // a session with this server reports it
    throw thrown;
  }
}
