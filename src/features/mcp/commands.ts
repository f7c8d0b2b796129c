import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** The slash commands about MCP servers. */
export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "mcp",
    help: "the MCP servers of this session, and how they are",
    does: {
      query: "ListMcpServers",
      fields: { sessionId: { from: "session" } },
      shows: {
        as: "list",
        field: "servers",
        line: "  {name}  {state}[  {tools|tool}]",
        none: "This session has no MCP servers.",
      },
    },
  },
  {
    name: "mcp:SERVER",
    words: "[status | restart | approve]",
    help: "one MCP server",
    does: { by: "client", command: "ManageMcp" },
  },
  {
    name: "mcp:restart",
    words: "SERVER",
    help: "start an MCP server anew",
    does: { by: "client", command: "ManageMcp" },
  },
  {
    name: "mcp:approve",
    words: "SERVER",
    help: "accept its program, or what it says of its tools",
    does: { by: "client", command: "ManageMcp" },
  },
];
