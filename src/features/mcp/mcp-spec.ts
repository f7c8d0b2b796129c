import { join } from "node:path";
import { childEnvironment } from "../../base/child-environment.ts";
import { canonicalJson } from "../../base/json.ts";
import { encode } from "../../base/text/text.ts";
import { sha256 } from "../../guard/trust/ledger/item.ts";
import { TOOL_MS_MAX } from "../../tools/chain/time-limit.ts";
import type { Workspace } from "../../tools/tool.ts";
import type { McpServer } from "./config.ts";
import { WORKSPACE } from "./config.ts";
import type { ServerSpec } from "./server/server-spec.ts";

/** What a program needs to be at home somewhere, and to find others. All else it is given by name. */
const BASIC =
  /^(?:HOME|LOGNAME|USER|SHELL|PATH|TERM|TZ|TMPDIR|LANG|LANGUAGE|LC_[A-Z]+|XDG_[A-Z]+_HOME|XDG_RUNTIME_DIR)$/;

export interface SpecSources {
  readonly workspace: Pick<Workspace, "root" | "env">;
  /** The user's own environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Below which every server has a folder of its own to run in. */
  readonly folders: string;
}

/** What a declaration means in one session. */
export function specOf(server: McpServer, { workspace, environment, folders }: SpecSources): ServerSpec {
  const { where, timeoutMs } = server;
  const common = {
    name: server.name,
    ...(server.discovery === undefined ? {} : { discovery: server.discovery }),
    eagerToolsMax: server.eagerToolsMax,
    callMsMax: timeoutMs ?? TOOL_MS_MAX,
    declaration: declarationOf(server),
    declaredIn: where.path,
  };
  if (server.transport !== "stdio") {
    const { transport, url, headers, bearer, clientId, scopes } = server;
    const address = {
      transport,
      url,
      headers,
      bearer,
      ...(clientId === undefined ? {} : { clientId }),
      scopes,
    };
    return { ...common, ...address, identity: hashOf({ ...common, ...address }) };
  }
  const basics = childEnvironment(workspace.env, (name) => BASIC.test(name));
  const passed = childEnvironment(environment, (name) => server.passEnv.includes(name));
  const command = {
    transport: server.transport,
    cmd: server.cmd,
    args: server.args.map((word) => word.replaceAll(WORKSPACE, workspace.root)),
    cwd: server.cwd?.replaceAll(WORKSPACE, workspace.root) ?? join(folders, server.name),
    env: { ...basics, ...passed, ...server.env },
    ...(server.sha256 === undefined ? {} : { sha256: server.sha256 }),
  };
  return { ...common, ...command, identity: hashOf({ ...common, ...command }) };
}

/** What a declaration says, hashed: what is remembered of a server is bound to it. */
export function declarationOf({ where: _, timeoutMs: __, ...declared }: McpServer): string {
  return hashOf(declared);
}

/** Sentences for the person: variables that a server is to be given and that are not there. */
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
        `${where.path}: the MCP server ${name} gets no ${variable}: it is not set, or holds a key that only cinch uses.`,
    );
}

function hashOf(value: unknown): string {
  return sha256(encode(canonicalJson(value)));
}
