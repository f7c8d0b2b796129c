import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** The slash commands about prompts that somebody has written. */
export const PROMPT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "prompts",
    help: "the prompts that you or the project have written",
    does: { by: "client" },
  },
  {
    name: "prompts:NAME",
    words: "[WORDS]",
    help: "send a prompt of yours, with words put into it",
    does: { by: "client" },
  },
];
