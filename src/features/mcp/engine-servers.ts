import type { EngineHost } from "../../session/host.ts";
import type { McpPool } from "./server/pool.ts";

/** The MCP servers of one engine, shared by its sessions (MCP-05). Nothing is loaded until a session has one. */
export interface EngineServers extends AsyncDisposable {
  pool(): Promise<McpPool>;
}

export function openEngineServers(parts: EngineHost): EngineServers {
  let opening: Promise<McpPool> | undefined;
  return {
    pool() {
      opening ??= import("./open-mcp-pool.ts").then(({ openMcpPool }) => openMcpPool(parts));
      return opening;
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}
