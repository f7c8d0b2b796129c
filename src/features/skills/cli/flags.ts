import type { CliContext, CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";

export const SKILLS_FLAGS = [
  { name: "json", kind: "switch", help: "Write JSON, one object a line, for programs." },
] as const satisfies readonly CliFlag[];

export const SKILLS_VERBS = [
  {
    name: "list",
    summary: "Lists the skills that a session here would find.",
    flags: ["json"],
    examples: [
      { line: "cinch skills list", does: "lists them" },
      { line: "cinch skills list --json", does: "for a program" },
    ],
  },
  {
    name: "show",
    summary: "Prints one skill.",
    words: [{ name: "NAME", help: "the name of a skill, as cinch skills list shows it" }],
    flags: ["json"],
    examples: [
      { line: "cinch skills show deploy", does: "prints one" },
      { line: "cinch skills show deploy --json", does: "for a program" },
    ],
  },
  {
    name: "check",
    summary: "Checks skills against the open specification. Exit code 1 if one breaks it.",
    words: [{ name: "PATH", help: "a skill or a folder of skills", optional: true, many: true }],
    flags: ["json"],
    examples: [
      { line: "cinch skills check ./skills", does: "checks those of a folder" },
      { line: "cinch skills check ./skills --json", does: "for a program" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type SkillsContext = CliContext<typeof SKILLS_FLAGS, (typeof SKILLS_VERBS)[number]["name"]>;
