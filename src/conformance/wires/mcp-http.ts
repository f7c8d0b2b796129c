import type { Transport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HttpDoor } from "../door.ts";
import type { OpenTransport } from "./mcp-wire.ts";

/** The library wants a whole address; where it leads is the door's business. */
const NOWHERE = "http://conformance.invalid";

/** Streamable HTTP at `/mcp`, through the same door as every other request. */
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
