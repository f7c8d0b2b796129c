import type { AnyCommand } from "../../args/parsed-call.ts";
import { SERVING_SETTINGS } from "../../args/settings-flags.ts";
import { MCP_FLAGS } from "./flags.ts";

export const mcpCommand: AnyCommand = {
  name: "mcp",
  brief: "serve an agent over MCP",
  summary: "Serves the agent that starts it as an MCP server, over standard input and output.",
  about: "It needs a token (cinch token), and a person confirms once which program may use it.",
  flags: MCP_FLAGS,
  settings: SERVING_SETTINGS,
  needs: "shared-engine",
  readsToken: true,
  examples: [
    { line: "cinch mcp", does: "the command to name in the agent's settings", needs: "another program" },
    {
      line: "cinch mcp --auth-token-file ci-token.json",
      does: "takes the token from a file",
      needs: "another program",
    },
  ],
  page: "mcp-server.md",
  load: () => import("./run.ts"),
};
