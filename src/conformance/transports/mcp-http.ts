import type { Transport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HttpAccess } from "../http-access.ts";
import type { OpenTransport } from "./mcp-transport.ts";

/** The library needs a whole address; `HttpAccess` decides where it leads. */
const NOWHERE = "http://conformance.invalid";

/** Opens Streamable HTTP at `/mcp`, through the same `HttpAccess` as every other request. */
export function mcpOverHttp(http: HttpAccess): OpenTransport {
  return async (token, signal): Promise<Transport> =>
    new StreamableHTTPClientTransport(new URL(`${NOWHERE}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      async fetch(target, init = {}) {
        const { pathname, search } = new URL(target);
        const { method = "GET", body } = init;
        return await http.fetch(`${pathname}${search}`, {
          method,
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof body === "string" ? { body } : {}),
          signal: init.signal ?? signal,
        });
      },
    });
}
