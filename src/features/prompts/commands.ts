import type { CommandSpec } from "../../protocol/commands/command-spec.ts";
import type { OwnPrompt } from "../../view/slash/own-prompts.ts";

/** Slash commands about prompt templates. */
export const PROMPT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "init" satisfies OwnPrompt,
    words: "[WORDS]",
    help: "write an AGENTS.md for this project, or improve it",
    isText: true,
    does: { by: "client" },
  },
  {
    name: "prompts",
    help: "list prompts of yours and of the project",
    does: { by: "client" },
  },
  {
    name: "prompts:NAME",
    words: "[WORDS]",
    help: "send a prompt with WORDS filled in",
    does: { by: "client" },
  },
];
