import { join } from "node:path";
import { childEnvironment } from "../../base/child-environment.ts";
import { defined } from "../../base/defined.ts";
import { canonicalJson } from "../../base/json.ts";
import { encode } from "../../base/text/text.ts";
import { sha256 } from "../../guard/trust/ledger/item.ts";
import { TOOL_MS_MAX } from "../../tools/chain/time-limit.ts";
import type { Workspace } from "../../tools/tool.ts";
import type { McpServer } from "./config.ts";
import { WORKSPACE } from "./config.ts";
import type { ServerSpec } from "./server/server-spec.ts";

/** Variables that programs need to find the user's folders and other programs. All others must be named. */
const BASIC_VARIABLES =
  /^(?:HOME|LOGNAME|USER|SHELL|PATH|TERM|TZ|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+|XDG_[A-Z]+_HOME|XDG_RUNTIME_DIR)$/;

export interface SpecSources {
  readonly workspace: Pick<Workspace, "root" | "env">;
  /** The user's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Parent folder of the servers' default working folders. */
  readonly folders: string;
}

/** Resolves a declaration for one session. */
export function resolveSpec(server: McpServer, { workspace, environment, folders }: SpecSources): ServerSpec {
  const { where, timeoutMs } = server;
  const common = {
    name: server.name,
    ...defined({ discovery: server.discovery }),
    eagerToolsMax: server.eagerToolsMax,
    callMsMax: timeoutMs ?? TOOL_MS_MAX,
    declaration: declarationHash(server),
    declaredIn: where.path,
  };
  if (server.transport !== "stdio") {
    const { transport, url, headers, bearer, clientId, scopes } = server;
    const address = {
      transport,
      url,
      headers,
      bearer,
      ...defined({ clientId }),
      scopes,
    };
    return { ...common, ...address, identity: hashOf({ ...common, ...address }) };
  }
  const basics = childEnvironment(workspace.env, (name) => BASIC_VARIABLES.test(name));
  const passed = childEnvironment(environment, (name) => server.passEnv.includes(name));
  const command = {
    transport: server.transport,
    cmd: server.cmd,
    args: server.args.map((word) => word.replaceAll(WORKSPACE, workspace.root)),
    cwd: server.cwd?.replaceAll(WORKSPACE, workspace.root) ?? join(folders, server.name),
    env: { ...basics, ...passed, ...server.env },
    ...defined({ sha256: server.sha256 }),
  };
  return { ...common, ...command, identity: hashOf({ ...common, ...command }) };
}

/**
 * Returns the SHA-256 of a declaration. A server's record is bound to it. Values that may be secret are left out: the
 * hash is part of a file's name.
 */
export function declarationHash({ where: _, timeoutMs: __, ...declared }: McpServer): string {
  if (declared.ofClient !== true) return hashOf(declared);
  return declared.transport === "stdio"
    ? hashOf({ ...declared, env: Object.keys(declared.env) })
    : hashOf({ ...declared, headers: Object.keys(declared.headers) });
}

/** Returns a sentence for each variable that a server should get and that is not set. */
export function missingVariables(
  server: McpServer,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  if (server.transport !== "stdio") return [];
  const { where, name } = server;
  return server.passEnv
    .filter((variable) => environment[variable] === undefined)
    .map(
      (variable) =>
        `${where.path}: the MCP server ${name} gets no ${variable}: it is not set, or contains a key that only cinch uses.`,
    );
}

function hashOf(value: unknown): string {
  return sha256(encode(canonicalJson(value)));
}
