import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const CONFORMANCE_FLAGS = [
  {
    name: "against",
    kind: "text",
    placeholder: "URL",
    help: "The server: http://HOST:PORT, https://HOST:PORT, unix:///PATH, or stdio://COMMAND for one that speaks MCP.",
  },
  { name: "scenario", kind: "text", placeholder: "A,B", help: "Only these. Default: all." },
  { name: "quick", kind: "switch", help: "Leave out what waits for a time limit of the server." },
  { name: "fail-fast", kind: "switch", help: "End behind the first scenario that failed." },
  {
    name: "patience",
    kind: { whole: [1, 999] },
    placeholder: "SECONDS",
    help: "The longest silence of a server (5). Raise it on a busy machine.",
  },
  { name: "json", kind: "switch", help: "Write one JSON report." },
  {
    name: "auth-token-file",
    kind: "text",
    placeholder: "PATH",
    help: "The token to use. Default: the variable CINCH_TOKEN.",
  },
] as const satisfies readonly CliFlag[];

export type ConformanceContext = CommandContext<typeof CONFORMANCE_FLAGS>;
