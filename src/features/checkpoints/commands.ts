import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands that restore files and conversation. */
export const CHECKPOINT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "rewind",
    words: "[N [files | conversation | both] | undo]",
    help: "list turns, go back to before one, or undo that",
    does: { by: "client", command: "RewindSession" },
  },
];
