import type { ToolSource } from "../../../tools/tool.ts";
import type { McpServer } from "../config.ts";
import type { ServerLease } from "../server/pool.ts";

/** A server that a session uses. */
export interface SessionServer {
  readonly declared: McpServer;
  readonly lease: ServerLease;
  readonly source: ToolSource;
  readonly leave: () => void;
}
