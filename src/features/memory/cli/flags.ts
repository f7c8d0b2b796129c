import type { CliContext, CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";

export const MEMORY_FLAGS = [
  { name: "json", kind: "switch", help: "Write JSON, one object a line, for programs." },
] as const satisfies readonly CliFlag[];

const NAME = { name: "NAME", help: "the name of a memory, as cinch memory list shows it" };

export const MEMORY_VERBS = [
  {
    name: "list",
    summary: "Lists the memories of you and of this repository.",
    flags: ["json"],
    examples: [
      { line: "cinch memory list", does: "lists them, one a line" },
      { line: "cinch memory list --json", does: "for a program" },
    ],
  },
  {
    name: "show",
    summary: "Prints one memory.",
    words: [NAME],
    flags: ["json"],
    examples: [
      { line: "cinch memory show build-command", does: "prints one" },
      { line: "cinch memory show build-command --json", does: "for a program" },
    ],
  },
  {
    name: "forget",
    summary: "Deletes one memory.",
    words: [NAME],
    flags: ["json"],
    examples: [
      { line: "cinch memory forget build-command", does: "deletes one" },
      { line: "cinch memory forget build-command --json", does: "for a program" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type MemoryContext = CliContext<typeof MEMORY_FLAGS, (typeof MEMORY_VERBS)[number]["name"]>;
