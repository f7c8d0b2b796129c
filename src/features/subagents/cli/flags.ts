import type { CliContext, CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";

export const AGENTS_FLAGS = [
  { name: "json", kind: "switch", help: "Write JSON, one object a line, for programs." },
] as const satisfies readonly CliFlag[];

export const AGENTS_VERBS = [
  {
    name: "list",
    summary: "Lists the kinds of sub-agents here.",
    flags: ["json"],
    examples: [
      { line: "cinch agents list", does: "lists them" },
      { line: "cinch agents list --json", does: "for a program" },
    ],
  },
  {
    name: "check",
    summary: "Checks definitions. Exit code 1 if one is wrong.",
    words: [{ name: "PATH", help: "a definition, or a folder of them", optional: true, many: true }],
    flags: ["json"],
    examples: [
      { line: "cinch agents check", does: "checks yours and the project's" },
      { line: "cinch agents check --json", does: "for a program" },
    ],
  },
  {
    name: "worktrees",
    summary: "Lists the git worktrees that sub-agents have left.",
    flags: ["json"],
    examples: [
      { line: "cinch agents worktrees", does: "lists them, with their ids" },
      { line: "cinch agents worktrees --json", does: "for a program" },
    ],
  },
  {
    name: "remove",
    summary: "Removes such a worktree and its branch.",
    words: [{ name: "ID", help: "the id of a worktree, as cinch agents worktrees shows it" }],
    flags: ["json"],
    examples: [
      { line: "cinch agents remove 3f9c", does: "removes one", needs: "its own test" },
      { line: "cinch agents remove 3f9c --json", does: "for a program", needs: "its own test" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type AgentsContext = CliContext<typeof AGENTS_FLAGS, (typeof AGENTS_VERBS)[number]["name"]>;
