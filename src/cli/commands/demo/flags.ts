import type { CliFlag } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const DEMO_FLAGS = [
  {
    name: "fixed",
    kind: "switch",
    help: "Start with the bug already fixed, and see the recording refuse to play.",
  },
] as const satisfies readonly CliFlag[];

export type DemoContext = CommandContext<typeof DEMO_FLAGS>;
