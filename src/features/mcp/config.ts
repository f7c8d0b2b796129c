import { isAbsolute } from "node:path";
import { reachesChildren } from "../../base/child-environment.ts";
import { defined } from "../../base/defined.ts";
import type {
  FilePosition,
  ListEntryOf,
  ListSection,
  RepositoryProblem,
} from "../../session/config-section.ts";

/** An MCP server that a configuration file declares (MCP-01). */
export type McpServer = McpProgramServer | McpRemoteServer;

interface Declared {
  /** Letters and digits, with single `-` and `_` between them; at most 32. */
  readonly name: string;
  /**
   * Makes its tools part of the first request (`eager`) or found by search (`lazy`). Default: eager up to
   * `eagerToolsMax` tools (MCP-02).
   */
  readonly discovery?: "eager" | "lazy";
  readonly eagerToolsMax: number;
  /** The longest time for one call. Default: the limit of any tool. */
  readonly timeoutMs?: number;
  readonly where: FilePosition;
  /** Set for a server that a client has named for one session: its variables and headers may hold secrets. */
  readonly ofClient?: true;
}

/** A server that is started as a program and speaks over its standard input and output. */
export interface McpProgramServer extends Declared {
  readonly transport: "stdio";
  /** An absolute path, or a name to find in `PATH`. */
  readonly cmd: string;
  /** `WORKSPACE` in an argument stands for the session's workspace folder. */
  readonly args: readonly string[];
  /** Variables set for the program. They hold no secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables passed on from the user's environment. */
  readonly passEnv: readonly string[];
  /**
   * An absolute path, or `WORKSPACE`. Default: an empty folder, so that no repository affects what the program does.
   */
  readonly cwd?: string;
  /** SHA-256 of the program that runs, in lower-case hexadecimal digits (MCP-04). */
  readonly sha256?: string;
}

/** A server reached over HTTP. */
export interface McpRemoteServer extends Declared {
  /** `http` is streamable HTTP; `sse` is the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  /** Additional headers. They hold no secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if each request carries the token stored in the credential store under `mcp:NAME`. */
  readonly bearer: boolean;
  /** The OAuth client id of cinch at this server. */
  readonly clientId?: string;
  /** Scopes to request at login if the server names none. */
  readonly scopes: readonly string[];
}

const NAME = "mcp_servers";
/** Placeholder for the session's workspace folder. */
export const WORKSPACE = "{workspace}";
/** Tools declared in the first request unless a file sets another number ([A] § MCP discovery). */
const EAGER_TOOLS_MAX = 20;
const TIMEOUT_SECONDS_MAX = 3_600;
/** Two underscores separate a server's name from its tool's name, so a server's name may not contain them. */
const NAME_CHARACTERS_MAX = 32;
const ACTIONS: readonly string[] = ["status", "restart", "approve"];

const keys = {
  name: {
    kind: "text",
    key: "name",
    meaning: "The name. It is part of the names of its tools.",
    required: "is missing",
    example: "files",
    check(name: string) {
      if (name.length > NAME_CHARACTERS_MAX || !/^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/.test(name))
        return `"${name}" must be at most ${NAME_CHARACTERS_MAX} letters and digits, with single - and _ between them`;
      return ACTIONS.includes(name) ? `"${name}" is a command for servers: choose another name` : undefined;
    },
  },
  cmd: {
    kind: "text",
    key: "cmd",
    meaning: "A program in `PATH`, or an absolute path. Either this or `url`.",
    example: "mcp-server-filesystem",
    check(cmd: string) {
      if (cmd.trim() === "" || cmd.includes("\0")) return "must name a program";
      return cmd.includes("/") && !isAbsolute(cmd)
        ? "must be absolute, or a name without / that is searched in PATH"
        : undefined;
    },
  },
  args: {
    kind: "texts",
    key: "args",
    meaning: `With \`cmd\`: its arguments. \`${WORKSPACE}\` stands for the session's folder.`,
    otherwise: "none",
    example: [WORKSPACE],
    check: (args: readonly string[]) =>
      args.some((each) => each.includes("\0")) ? "must not hold a zero character" : undefined,
  },
  env: {
    kind: "text-table",
    key: "env",
    meaning: "With `cmd`: variables, without secrets.",
    otherwise: "none",
    example: { LOG_LEVEL: "info" },
    checkEntry: (name, value) =>
      variableProblem(name) ?? (value.includes("\0") ? "must not hold a zero character" : undefined),
  },
  passEnv: {
    kind: "texts",
    key: "pass_env",
    meaning: "With `cmd`: your variables to pass on, in addition to `HOME`, `PATH` and the like.",
    otherwise: "none",
    example: ["HTTPS_PROXY"],
    check: (names: readonly string[]) => names.map(variableProblem).find((problem) => problem !== undefined),
  },
  cwd: {
    kind: "text",
    key: "cwd",
    meaning: `With \`cmd\`: the folder that it runs in, absolute or \`${WORKSPACE}\`.`,
    otherwise: "an empty folder",
    example: "/srv/files",
    check: (cwd: string) =>
      cwd === WORKSPACE || isAbsolute(cwd) ? undefined : `must be an absolute path, or ${WORKSPACE}`,
  },
  sha256: {
    kind: "text",
    key: "sha256",
    meaning: "With `cmd`: the SHA-256 of the program that runs. A repository's servers need it.",
    otherwise: "the program is approved at its first start",
    example: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
    check: (digits: string) => (/^[0-9a-f]{64}$/i.test(digits) ? undefined : "must be 64 hexadecimal digits"),
    as: (digits: string) => digits.toLowerCase(),
  },
  url: {
    kind: "text",
    key: "url",
    meaning: "The address, https or on this machine. Either this or `cmd`.",
    example: "https://mcp.example.com/mcp",
    check: urlProblem,
    as: (text: string) => new URL(text).href,
  },
  transport: {
    kind: "word",
    key: "transport",
    words: ["stdio", "http", "sse"],
    meaning: "`http` is streamable HTTP, `sse` the older HTTP; `stdio` goes with `cmd`.",
    otherwise: "`stdio` with `cmd`, `http` with `url`",
    example: "http",
  },
  headers: {
    kind: "text-table",
    key: "headers",
    meaning: "With `url`: additional headers, without secrets.",
    otherwise: "none",
    example: { "X-Team": "tools" },
    checkEntry(name, value) {
      if (!/^[A-Za-z0-9-]+$/.test(name)) return "is not a header name";
      if (/^(?:authorization|proxy-authorization|x-api-key|cookie|host|mcp-.*)$/i.test(name))
        return "may not be set here: use bearer for a token";
      return /^[\x20-\x7e]*$/.test(value) ? undefined : "must be plain ASCII in one line";
    },
  },
  bearer: {
    kind: "boolean",
    key: "bearer",
    meaning: "With `url`: requires the token of `cinch creds login mcp:NAME` for every request.",
    otherwise: "false",
    example: true,
  },
  clientId: {
    kind: "text",
    key: "client_id",
    meaning: "With `url`: the OAuth client id of cinch at the server.",
    otherwise: "cinch registers itself",
    example: "cinch",
  },
  scopes: {
    kind: "texts",
    key: "scopes",
    meaning: "With `url`: the scopes of a login if the server names none.",
    otherwise: "none",
    example: ["issues:read"],
  },
  discovery: {
    kind: "word",
    key: "discovery",
    words: ["eager", "lazy"],
    meaning: "Declares its tools in the first request (`eager`), or leaves them to ToolSearch (`lazy`).",
    otherwise: "eager for up to `eager_tools_max` tools",
    example: "lazy",
  },
  eagerToolsMax: {
    kind: "integer",
    key: "eager_tools_max",
    min: 0,
    unit: "tools",
    meaning: "The most tools to declare in the first request, unless `discovery` is set.",
    default: EAGER_TOOLS_MAX,
    example: EAGER_TOOLS_MAX,
  },
  timeoutMs: {
    kind: "seconds",
    key: "timeout",
    min: 1,
    max: TIMEOUT_SECONDS_MAX,
    unit: "seconds",
    meaning: "The longest time for one call.",
    otherwise: "as any tool",
    example: 120,
  },
} as const satisfies ListSection["keys"];

/**
 * `[[mcp_servers]]`: servers whose tools a session has. Unknown keys are rejected, so that a misspelt `sha256` is
 * not ignored.
 */
export const mcpSection = {
  shape: "list",
  name: NAME,
  about:
    "Servers whose tools a session has: [mcp.md](../mcp.md). `config.toml` and the profile may both declare some; names must be unique.",
  inRepositoryProfile: true,
  otherWords: { command: "cmd", type: "transport", timeout_ms: "timeout" },
  keys,
  check(said) {
    const { cmd, url, transport } = said;
    if (cmd === undefined && url === undefined)
      return {
        key: "cmd",
        problem: "is missing: the program to start, or url for a remote server",
      };
    if (cmd !== undefined && url !== undefined)
      return { key: "url", problem: "cannot be combined with cmd: a server has one of them" };
    if (cmd !== undefined && transport !== undefined && transport !== "stdio")
      return { key: "transport", problem: "must be stdio for a server with cmd" };
    if (url !== undefined && transport === "stdio")
      return { key: "transport", problem: "must be http or sse for a server with url" };
    const [transportKey, others] = url === undefined ? ["cmd", WITH_URL] : ["url", WITH_CMD];
    const stray = others.find((property) => said[property] !== undefined);
    if (stray === undefined) return undefined;
    const partner = transportKey === "cmd" ? "url" : "cmd";
    return {
      key: keys[stray].key,
      problem: `goes with ${partner} only, and this server has ${transportKey}`,
    };
  },
  checkAll(entries) {
    for (const [at, { name, where }] of entries.entries()) {
      const first = entries.findIndex((each) => each["name"] === name);
      const before = entries[first]?.where;
      if (first !== at && before !== undefined)
        return `two servers have the name "${String(name)}" (${before.path}:${before.line} and ${where.path}:${where.line})`;
    }
    return undefined;
  },
  checkInRepository: repositoryServerProblems,
  entry: serverOf,
} as const satisfies ListSection<McpServer>;

/**
 * Returns what is wrong with servers that a repository declares, with file, line and key (MCP-04).
 *
 * A repository must name a program by its content, and may not give it anything of the user's: no variables, no
 * token, no folder outside the workspace.
 */
export function repositoryServerProblems(servers: readonly McpServer[]): readonly RepositoryProblem[] {
  return servers.flatMap((server) => {
    const problem = projectsServerProblem(server);
    const { path, line } = server.where;
    if (problem === undefined) return [];
    if (isJson(path)) return [{ ...server.where, problem }]; // the key contains the name
    return [{ path, line, key: NAME, problem: `${server.name}: ${problem}` }];
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

/** Returns true for the path of a declaration in JSON. */
export function isJson(path: string): boolean {
  return path.endsWith(".json");
}

const WITH_CMD = ["args", "env", "passEnv", "cwd", "sha256"] as const;
const WITH_URL = ["headers", "bearer", "clientId", "scopes"] as const;

function serverOf(entry: ListEntryOf<typeof keys>): McpServer {
  const { name, eagerToolsMax, discovery, timeoutMs, where } = entry;
  const declared: Declared = {
    name,
    ...defined({ discovery }),
    eagerToolsMax,
    ...defined({ timeoutMs }),
    where,
  };
  const { cmd = "", args = [], env = {}, passEnv = [], cwd, sha256 } = entry;
  const { url, transport, headers = {}, bearer = false, clientId, scopes = [] } = entry;
  if (url === undefined)
    return {
      ...declared,
      transport: "stdio",
      ...{ cmd, args, env, passEnv },
      ...defined({ cwd, sha256 }),
    };
  return {
    ...declared,
    transport: transport === "sse" ? "sse" : "http",
    ...{ url, headers, bearer, scopes },
    ...defined({ clientId }),
  };
}

function variableProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `"${name}" is not a variable name`;
  return reachesChildren(name)
    ? undefined
    : `${name} reaches no child of cinch: it changes what a program runs`;
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return "must be an http or https URL";
  if (url.username !== "" || url.password !== "") return "must not hold a name or password: use bearer";
  if (url.hash !== "") return "must not have a # part";
  const isLoopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === "http:" && !isLoopback
    ? "must be https: plain http is for this machine only"
    : undefined;
}
