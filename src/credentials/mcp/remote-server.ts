import type { Log } from "../../base/log.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { AuthorizedFetch } from "../../providers/authorized-fetch.ts";

/** A server reached over HTTP, declared by the user's file or an acknowledged one of the project. */
export interface RemoteServer {
  readonly name: string;
  /** `http` is streamable HTTP, `sse` the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  /** Further headers, without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if every request needs the token of the credential store. */
  readonly bearer?: boolean;
}

export interface RemoteDependencies {
  readonly clock: Clock;
  /** The network, for servers that need no token. */
  readonly fetch: Fetch;
  /** Inserts the token stored under `mcp:NAME`, which is sent to that server only. */
  readonly authorized: AuthorizedFetch;
  readonly log: Log;
}

/** Returns the name of a server's login in the credential store. */
export function credentialName(server: string): string {
  return `mcp:${server}`;
}

/** Returns true if a stored name belongs to an MCP server, not to a model provider. */
export function isCredentialName(name: string): boolean {
  return name.startsWith("mcp:");
}
