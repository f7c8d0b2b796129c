import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands that shorten a conversation. */
export const COMPACTION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "context",
    help: "what fills the model's context window",
    does: { by: "client" },
  },
  {
    name: "compact",
    help: "replace the conversation with a summary",
    does: { by: "client", command: "CompactSession" },
  },
];
