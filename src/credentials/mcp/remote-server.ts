import type { Log } from "../../base/log.ts";
import type { Clock, Fetch } from "../../base/world.ts";
import type { AuthorizedFetch } from "../../providers/authorized-fetch.ts";

/** A server that is reached over HTTP, as a file of the user or an acknowledged one of the project declares it. */
export interface RemoteServer {
  readonly name: string;
  /** `http` is streamable HTTP, `sse` the older HTTP with server-sent events. */
  readonly transport: "http" | "sse";
  readonly url: string;
  /** Further headers, which hold no secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing is sent to it without the token that the credential store has. */
  readonly bearer?: boolean;
}

export interface RemotePorts {
  readonly clock: Clock;
  /** The network, for servers that want no token. */
  readonly fetch: Fetch;
  /** Puts in the token that the credential store has under `mcp:NAME`: whoever holds it sends it to that server alone. */
  readonly authorized: AuthorizedFetch;
  readonly log: Log;
}

/** Under this name the credential store keeps what a server lets us in with. */
export function credentialName(server: string): string {
  return `mcp:${server}`;
}

/** Whether something in the credential store is for an MCP server, and not for a provider of models. */
export function isCredentialName(name: string): boolean {
  return name.startsWith("mcp:");
}
