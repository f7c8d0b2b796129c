import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** The slash commands about memories. */
export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "memory",
    help: "memories that were given, written and removed here",
    does: { by: "client" },
  },
];
