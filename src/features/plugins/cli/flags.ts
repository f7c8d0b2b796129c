import type { CliContext, CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";

export const PLUGINS_FLAGS = [
  { name: "json", kind: "switch", help: "Write JSON, one object a line, for programs." },
] as const satisfies readonly CliFlag[];

export const PLUGINS_VERBS = [
  {
    name: "list",
    summary: "Lists the plugins that your configuration names, and whether they may run.",
    flags: ["json"],
    examples: [
      { line: "cinch plugins list", does: "lists them" },
      { line: "cinch plugins list --json", does: "for a program" },
    ],
  },
  {
    name: "check",
    summary: "Runs a plugin to check it, and prints what it adds.",
    words: [{ name: "PATH", help: "the file or folder of a plugin" }],
    flags: ["json"],
    examples: [
      { line: "cinch plugins check ./my-plugin", does: "checks one" },
      { line: "cinch plugins check ./my-plugin --json", does: "for a program" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type PluginsContext = CliContext<typeof PLUGINS_FLAGS, (typeof PLUGINS_VERBS)[number]["name"]>;
