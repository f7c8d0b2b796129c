import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { NO_LISTEN } from "../../args/settings-flags.ts";

export const MCP_FLAGS = [
  {
    name: "auth-token-file",
    kind: "text",
    placeholder: "PATH",
    help: "The token to use. Default: the variable CINCH_TOKEN.",
  },
  NO_LISTEN,
] as const satisfies readonly CliFlag[];

export type McpContext = CommandContext<typeof MCP_FLAGS>;
