import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about memories. */
export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: "memory",
    help: "memories read, written and removed in this session",
    does: { by: "client" },
  },
];
