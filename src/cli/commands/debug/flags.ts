import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";
import { NO_LISTEN } from "../../args/settings-flags.ts";
import { OUTPUT_FORMAT, PRINT } from "../prompt/flags.ts";

export const DEBUG_FLAGS = [
  {
    name: "raw",
    kind: "switch",
    help: "Dump all provider traffic, unredacted, to a sealed file, which is removed after a week.",
    excludes: ["show"],
  },
  { name: "show", kind: "text", placeholder: "FILE", help: "Print such a file." },
  PRINT,
  OUTPUT_FORMAT,
  NO_LISTEN,
] as const satisfies readonly CliFlag[];

export type DebugContext = CommandContext<typeof DEBUG_FLAGS>;
