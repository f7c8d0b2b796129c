import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands that shorten a conversation. */
export const COMPACTION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "compact",
    help: "make the conversation shorter: a summary of it",
    does: { by: "client", command: "CompactSession" },
  },
];
