import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const ACK_FLAGS = [
  {
    name: "all",
    kind: "switch",
    help: "Also trust your own skills and aliases, in one decision. Files of a project are always shown one by one.",
  },
  {
    name: "emit-lockfile",
    kind: "optional-text",
    placeholder: "PATH",
    help: "Write what is acknowledged as a lock file for CI; without PATH to standard output.",
  },
] as const satisfies readonly CliFlag[];

export type AckContext = CommandContext<typeof ACK_FLAGS>;
