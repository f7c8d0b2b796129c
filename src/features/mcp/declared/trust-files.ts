import type { TrustLayout } from "../../../session/guard/trust.ts";

/** Files of a repository that declare MCP servers. */
export const MCP_FILES: readonly TrustLayout[] = [
  { kind: "mcp", in: "project", folder: ".cinch", names: /^mcp\.(?:toml|json)$/, order: 50 },
];
