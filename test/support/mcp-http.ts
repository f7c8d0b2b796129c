import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ControlRig } from "./control-rig.ts";
import type { McpClient } from "./mcp-stdio.ts";
import { connected } from "./mcp-stdio.ts";

export interface HttpClientOptions {
  readonly era?: "legacy" | "modern";
  readonly token?: string;
  readonly name?: string;
  /** Goes on as this session of the older era. */
  readonly session?: string;
  /** Sees each request of the client. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

export interface HttpMcpClient extends McpClient {
  readonly transport: StreamableHTTPClientTransport;
}

/** The official client over the port of a rig. */
export async function mcpClient(rig: ControlRig, options: HttpClientOptions = {}): Promise<HttpMcpClient> {
  const { era = "legacy", token = rig.mint({ identityClass: "agent" }), name = "a test", session } = options;
  const transport = new StreamableHTTPClientTransport(new URL(`${rig.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(session === undefined ? {} : { sessionId: session }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  return { ...(await connected(transport, { era, name })), transport };
}

/** A POST to `/mcp` as clients of the older era send it, with what is given instead. */
export async function post(
  rig: Pick<ControlRig, "url" | "mint">,
  message: unknown,
  { token = rig.mint({ identityClass: "agent" }), headers = {} }: PostOptions = {},
): Promise<Response> {
  return await fetch(`${rig.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

export interface PostOptions {
  /** Null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
} as const;
