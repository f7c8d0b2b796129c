import type { CliCommand } from "../../../session/commands/cli-command.ts";
import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import { AGENTS_FLAGS, AGENTS_VERBS } from "./flags.ts";

export const agentsCommand: CliCommand = {
  name: "agents",
  brief: "sub-agents and worktrees",
  summary: "Lists and checks the kinds of sub-agents, and removes the worktrees that some have left.",
  flags: AGENTS_FLAGS,
  settings: COMMON_SETTINGS,
  verbs: AGENTS_VERBS,
  examples: [
    { line: "cinch agents list", does: "lists the kinds of sub-agents" },
    { line: "cinch agents worktrees --json", does: "lists what sub-agents have left" },
  ],
  page: "agents.md",
  load: () => import("./run.ts"),
};
