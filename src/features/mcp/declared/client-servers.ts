import type { SessionMcpServer } from "../../../protocol/commands/session-servers.ts";
import { visibleLine } from "../../../safety/hidden.ts";
import type { McpServer } from "../config.ts";
import { mcpSection } from "../config.ts";

const NAME_CHARACTERS_MAX = 32;

/** Servers that a client's user has named for one session, and sentences about those that cannot be used. */
export interface ClientServers {
  readonly servers: readonly McpServer[];
  readonly notices: readonly string[];
}

/**
 * Reads the servers that a client's user has named for a session. They count like those in the user's configuration.
 * A name becomes one that can be part of a tool's name. A server that is invalid, or whose name is taken, is left out
 * with a notice: the session starts without it.
 */
export function clientServers(
  wanted: readonly SessionMcpServer[],
  taken: readonly Pick<McpServer, "name">[],
): ClientServers {
  const servers: McpServer[] = [];
  const notices: string[] = [];
  for (const each of wanted) {
    const name = toolName(each.name);
    const isTaken = [...taken, ...servers].some((other) => other.name.toLowerCase() === name.toLowerCase());
    const problem = isTaken ? `another server here is called ${name}` : problemOf(each, name);
    if (problem === undefined) servers.push(serverOf(each, name));
    else notices.push(`The MCP server ${visibleLine(each.name)} of the client is not connected: ${problem}.`);
  }
  return { servers, notices };
}

/** Returns a name of letters and digits with single `-` between them. */
function toolName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, NAME_CHARACTERS_MAX)
    .replace(/-$/, "");
}

function problemOf(server: SessionMcpServer, name: string): string | undefined {
  const { keys } = mcpSection;
  const wrongName = name === "" ? "its name has no letter and no digit" : keys.name.check(name);
  if (wrongName !== undefined) return wrongName;
  if (server.transport === "stdio")
    return (
      prefixed("its command", keys.cmd.check(server.cmd)) ??
      prefixed("an argument", keys.args.check(server.args)) ??
      entryProblem(server.env, keys.env.checkEntry)
    );
  return prefixed("its address", keys.url.check(server.url)) ?? entryProblem(server.headers, headerProblem);
}

function prefixed(what: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${what} ${problem}`;
}

function entryProblem(
  entries: Readonly<Record<string, string>>,
  check: (name: string, value: string) => string | undefined,
): string | undefined {
  for (const [name, value] of Object.entries(entries)) {
    const problem = check(name, value);
    if (problem !== undefined) return `${visibleLine(name)} ${problem}`;
  }
  return undefined;
}

/** A header may carry a token here: the user has given it to this server, and no file holds it. */
function headerProblem(name: string, value: string): string | undefined {
  if (!/^[A-Za-z0-9-]+$/.test(name) || /^(?:host|mcp-.*)$/i.test(name)) return "may not be set as a header";
  return /^[\x20-\x7e]*$/.test(value) ? undefined : "must be plain ASCII in one line";
}

function serverOf(server: SessionMcpServer, name: string): McpServer {
  const common = {
    name,
    eagerToolsMax: mcpSection.keys.eagerToolsMax.default,
    where: { path: "the client", line: 0, key: "mcpServers" },
    ofClient: true as const,
  };
  if (server.transport === "stdio") {
    const { transport, cmd, args, env } = server;
    return { ...common, transport, cmd, args, env, passEnv: [] };
  }
  const { transport, url, headers } = server;
  return { ...common, transport, url: new URL(url).href, headers, bearer: false, scopes: [] };
}
