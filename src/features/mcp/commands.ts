import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about MCP servers. */
export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "mcp",
    help: "the MCP servers of this session and their state",
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
    help: "restart an MCP server",
    does: { by: "client", command: "ManageMcp" },
  },
  {
    name: "mcp:stop",
    words: "SERVER",
    help: "end an MCP server until /mcp:start",
    does: { by: "client", command: "ManageMcp" },
  },
  {
    name: "mcp:start",
    words: "SERVER",
    help: "start an MCP server that was stopped",
    does: { by: "client", command: "ManageMcp" },
  },
  {
    name: "mcp:approve",
    words: "SERVER",
    help: "approve its program and its tools as they are now",
    does: { by: "client", command: "ManageMcp" },
  },
];
