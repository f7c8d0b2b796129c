import { join } from "node:path";
import { ROOT } from "./source.ts";

/**
 * Official servers, and how they are started under the runtime of the tests: never with what the current folder holds.
 */
const PACKAGES = join(ROOT, "node_modules/@modelcontextprotocol");
const RUNTIME = ["--no-install", "--no-env-file", "--config=/dev/null"];
const SERVERS = {
  everything: ["server-everything/dist/index.js", "stdio"],
  filesystem: ["server-filesystem/dist/index.js"],
  memory: ["server-memory/dist/index.js"],
} as const;

export type OfficialServer = keyof typeof SERVERS;

export interface ServerCommand {
  readonly cmd: string;
  readonly args: readonly string[];
}

export function officialServer(name: OfficialServer, ...more: readonly string[]): ServerCommand {
  const [file, ...args] = SERVERS[name];
  return { cmd: process.execPath, args: [...RUNTIME, join(PACKAGES, file), ...args, ...more] };
}

/** A script of the tests as a server. */
export function scriptServer(file: string, ...more: readonly string[]): ServerCommand {
  return { cmd: process.execPath, args: [...RUNTIME, file, ...more] };
}

/** `[[mcp_servers]]` of a configuration file. */
export function serverToml(name: string, { cmd, args }: ServerCommand, more = ""): string {
  return `[[mcp_servers]]\nname = "${name}"\ncmd = ${JSON.stringify(cmd)}\nargs = ${JSON.stringify(args)}\n${more}\n`;
}
