import type { Transport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HttpDoor } from "../door.ts";
import type { OpenTransport } from "./mcp-wire.ts";

/** The library needs a whole address; `HttpDoor` decides where it leads. */
const NOWHERE = "http://conformance.invalid";

/** Opens Streamable HTTP at `/mcp`, through the same `HttpDoor` as every other request. */
export function mcpOverHttp(door: HttpDoor): OpenTransport {
  return async (token, signal): Promise<Transport> =>
    new StreamableHTTPClientTransport(new URL(`${NOWHERE}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
      async fetch(target, init = {}) {
        const { pathname, search } = new URL(target);
        const { method = "GET", body } = init;
        return await door.fetch(`${pathname}${search}`, {
          method,
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(typeof body === "string" ? { body } : {}),
          signal: init.signal ?? signal,
        });
      },
    });
}
