import { isAbsolute } from "node:path";
import { reachesChildren } from "../../base/child-environment.ts";
import type { AcknowledgedFile } from "../project.ts";
import type { Following, Where } from "../table.ts";
import { Table } from "../table.ts";
import { invalid, parseToml, writtenIn } from "../toml.ts";

/** A server whose tools a session has beside its own (MCP-01), as a file declares it. */
export type McpServer = McpCommand | McpAddress;

interface Declared {
  /** Letters and digits, with single `-` and `_` between them; at most 32. */
  readonly name: string;
  /** Whether its tools are declared in the first request. Absent: where it has at most `eagerToolsMax` (MCP-02). */
  readonly discovery?: "eager" | "lazy";
  readonly eagerToolsMax: number;
  /** How long one call may take. Absent: as any tool. */
  readonly timeoutMs?: number;
  readonly where: Where;
}

/** A program that is started, and spoken to over its standard input and output. */
export interface McpCommand extends Declared {
  readonly transport: "stdio";
  /** Absolute, or a name that is looked for in `PATH`. */
  readonly cmd: string;
  /** `WORKSPACE` in them stands for the folder that the session works in. */
  readonly args: readonly string[];
  /** What it is told in its environment; nothing of this is a secret. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's own environment that it is given too, by their names. */
  readonly passEnv: readonly string[];
  /** Absolute, or `WORKSPACE`. Absent: an empty folder, so that no repository says what a program does. */
  readonly cwd?: string;
  /** Of the program that runs, in small hexadecimal digits (MCP-04). */
  readonly sha256?: string;
}

/** A server that is reached over HTTP. */
export interface McpAddress extends Declared {
  /** `http` is streamable HTTP, `sse` the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  /** Further headers, which hold no secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each request bears the token that the credential store has under `mcp:NAME`. */
  readonly bearer: boolean;
  /** For OAuth, where the server knows cinch under a name of its own choosing. */
  readonly clientId?: string;
  /** What is asked for at a login, where the server does not say. */
  readonly scopes: readonly string[];
}

/** Stands for the folder that the session works in. */
export const WORKSPACE = "{workspace}";
/** So many tools are declared at once, where the file says nothing else ([A] § MCP discovery). */
export const EAGER_TOOLS_MAX = 20;
const TIMEOUT_MS_MAX = 3_600_000;

/** Two underscores end a server's name in those of its tools, so none has them. */
const NAME_CHARACTERS_MAX = 32;
const ACTIONS: readonly string[] = ["status", "restart", "approve"];

/** What others call the same. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["command", "cmd"],
  ["type", "transport"],
  ["timeout_ms", "timeout"],
]);

/** Reads `[[mcp_servers]]`. Unknown keys are errors: a misspelt `sha256` must not pass. */
export function mcpServersFrom(parent: Table): readonly McpServer[] {
  const servers = parent.tables("mcp_servers").map(mcpServerFrom);
  for (const [at, { name, where }] of servers.entries()) {
    const first = servers.findIndex((each) => each.name === name);
    if (first === at) continue;
    const before = servers[first]?.where;
    throw parent.problem(
      "mcp_servers",
      `two servers have the name "${name}" (${before?.path}:${before?.line} and ${where.path}:${where.line})`,
    );
  }
  return servers;
}

/**
 * Reads `.cinch/mcp.toml` or `.cinch/mcp.json` of a repository, out of the bytes that a person has acknowledged. The JSON is
 * the one that others use: `{"mcpServers": {NAME: {"command", "args", "url" …}}}`.
 * @throws HarnessError ConfigInvalid with file and key, also for what a repository may not say.
 */
export async function acknowledgedServers(
  { path, bytes }: AcknowledgedFile,
  following?: Following,
): Promise<readonly McpServer[]> {
  const file = isJson(path)
    ? (await import("./mcp-json.ts")).serversOfJson(path, writtenIn(path, bytes, "JSON"))
    : await parseToml(path, bytes);
  const table = new Table(file, [], file.value, following);
  const servers = mcpServersFrom(table);
  table.refuseUnknown();
  assertProjectsServers(servers);
  return servers;
}

function isJson(path: string): boolean {
  return path.endsWith(".json");
}

/**
 * Refuses what a server may not say that a repository declares (MCP-04).
 *
 * It names a program by its content, and gives it nothing of the user's: no variable, no token, no folder elsewhere.
 * @throws HarnessError ConfigInvalid with the place of the server's name.
 */
export function assertProjectsServers(servers: readonly McpServer[]): void {
  const [first] = projectsServerProblems(servers);
  if (first !== undefined) throw invalid(first.path, first.line, first.key, first.problem);
}

/** What of servers a repository may not say, and where it stands. */
export function projectsServerProblems(
  servers: readonly McpServer[],
): readonly (Where & { readonly problem: string })[] {
  return servers.flatMap((server) => {
    const problem = projectsServerProblem(server);
    const { path, line } = server.where;
    if (problem === undefined) return [];
    if (isJson(path)) return [{ ...server.where, problem }]; // the key has the name in it
    return [{ path, line, key: "mcp_servers", problem: `${server.name}: ${problem}` }];
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

function mcpServerFrom(table: Table): McpServer {
  const cmd = table.string("cmd");
  const url = table.string("url");
  const transport = table.oneOf("transport", ["stdio", "http", "sse"] as const);
  if (cmd === undefined && url === undefined)
    throw table.problem("cmd", "is missing: the program to start, or url for a server that is elsewhere");
  if (cmd !== undefined && url !== undefined)
    throw table.problem("url", "goes without cmd: a server has one of both");
  const server =
    url === undefined ? commandFrom(table, cmd ?? "", transport) : addressFrom(table, url, transport);
  table.refuseUnknown(OTHER_WORDS);
  return server;
}

function declaredFrom(table: Table): Declared {
  const name = table.string("name");
  if (name === undefined) throw table.problem("name", "is missing");
  if (name.length > NAME_CHARACTERS_MAX || !/^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/.test(name)) {
    const what = `at most ${NAME_CHARACTERS_MAX} letters and digits, with single - and _ between them`;
    throw table.problem("name", `"${name}" must be ${what}`);
  }
  if (ACTIONS.includes(name))
    throw table.problem("name", `"${name}" is what is done with servers: take another`);
  const discovery = table.oneOf("discovery", ["eager", "lazy"] as const);
  const timeout = table.number("timeout", 1);
  const timeoutMs = timeout === undefined ? undefined : timeout * 1_000;
  if (timeoutMs !== undefined && timeoutMs > TIMEOUT_MS_MAX)
    throw table.problem("timeout", `must be at most ${TIMEOUT_MS_MAX / 1_000} (one hour)`);
  return {
    name,
    ...(discovery === undefined ? {} : { discovery }),
    eagerToolsMax: table.integer("eager_tools_max", 0) ?? EAGER_TOOLS_MAX,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    where: table.where("name"),
  };
}

function commandFrom(table: Table, cmd: string, transport: McpServer["transport"] = "stdio"): McpCommand {
  if (transport !== "stdio") throw table.problem("transport", "must be stdio for a server with cmd");
  if (cmd.trim() === "" || cmd.includes("\0")) throw table.problem("cmd", "must name a program");
  if (cmd.includes("/") && !isAbsolute(cmd))
    throw table.problem("cmd", "must be absolute, or a name without / that is looked for in PATH");
  const args = table.strings("args") ?? [];
  if (args.some((each) => each.includes("\0"))) throw table.problem("args", "must not hold a zero character");
  const passEnv = table.strings("pass_env") ?? [];
  for (const name of passEnv) variable(table, "pass_env", name);
  const cwd = table.string("cwd");
  if (cwd !== undefined && cwd !== WORKSPACE && !isAbsolute(cwd))
    throw table.problem("cwd", `must be an absolute path, or ${WORKSPACE}`);
  const sha256 = table.string("sha256");
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw table.problem("sha256", "must be 64 hexadecimal digits");
  return {
    ...declaredFrom(table),
    transport,
    cmd,
    args,
    env: envFrom(table.table("env")),
    passEnv,
    ...(cwd === undefined ? {} : { cwd }),
    ...(sha256 === undefined ? {} : { sha256: sha256.toLowerCase() }),
  };
}

function envFrom(table: Table | undefined): Readonly<Record<string, string>> {
  if (table === undefined) return {};
  return Object.fromEntries(
    table.keys().map((name) => {
      variable(table, name, name);
      const value = table.string(name) ?? "";
      if (value.includes("\0")) throw table.problem(name, "must not hold a zero character");
      return [name, value];
    }),
  );
}

function variable(table: Table, key: string, name: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw table.problem(key, `"${name}" is no name of a variable`);
  if (!reachesChildren(name))
    throw table.problem(key, `${name} reaches no child of cinch: it changes what a program runs`);
}

function addressFrom(table: Table, text: string, transport: McpServer["transport"] = "http"): McpAddress {
  if (transport === "stdio") throw table.problem("transport", "must be http or sse for a server with url");
  const headers = table.table("headers");
  const clientId = table.string("client_id");
  return {
    ...declaredFrom(table),
    transport,
    url: urlFrom(table, text),
    headers: headers === undefined ? {} : headersFrom(headers),
    bearer: table.boolean("bearer") ?? false,
    ...(clientId === undefined ? {} : { clientId }),
    scopes: table.strings("scopes") ?? [],
  };
}

function urlFrom(table: Table, text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw table.problem("url", "must be an http or https URL");
  if (url.username !== "" || url.password !== "")
    throw table.problem("url", "must not hold a name or password: use bearer");
  if (url.hash !== "") throw table.problem("url", "must not have a # part");
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLoopback)
    throw table.problem("url", "must be https: plain http is for this machine only");
  return url.href;
}

function headersFrom(table: Table): Readonly<Record<string, string>> {
  return Object.fromEntries(
    table.keys().map((name) => {
      const value = table.string(name) ?? "";
      if (!/^[A-Za-z0-9-]+$/.test(name)) throw table.problem(name, "is no header name");
      if (/^(?:authorization|proxy-authorization|x-api-key|cookie|host|mcp-.*)$/i.test(name))
        throw table.problem(name, "may not be set here: use bearer for a token");
      if (!/^[\x20-\x7e]*$/.test(value)) throw table.problem(name, "must be plain ASCII in one line");
      return [name, value];
    }),
  );
}
