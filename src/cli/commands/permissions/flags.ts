import type { CliFlag, CliVerb } from "../../../session/commands/cli-command.ts";
import type { CommandContext } from "../../args/parsed-call.ts";

export const PERMISSIONS_FLAGS = [
  {
    name: "tool",
    kind: "text",
    placeholder: "NAME",
    help: "The tool that is called. Default: Bash.",
    needs: ["input"],
    excludes: ["json"],
  },
  {
    name: "input",
    kind: "text",
    placeholder: "JSON",
    help: "The input of --tool.",
    needs: ["tool"],
    excludes: ["json"],
  },
  {
    name: "json",
    kind: "switch",
    help: 'Read {"tool": …, "input": …} from standard input, one a line, and write a verdict for each.',
  },
] as const satisfies readonly CliFlag[];

export const PERMISSIONS_VERBS = [
  {
    name: "explain",
    summary: "Tells what would happen to a call here, and why. Runs nothing.",
    words: [{ name: "COMMAND", help: "a command line for Bash, in quotes", optional: true }],
    tooMany: "put the command in quotes",
    flags: ["tool", "input", "json"],
    examples: [
      { line: "cinch permissions explain 'git push'", does: "judges a command" },
      {
        line: `cinch permissions explain --tool Write --input '{"file_path": "a.txt", "content": ""}'`,
        does: "judges a call of a tool",
      },
    ],
  },
  {
    name: "list",
    summary: "Lists the rules in force, and where each comes from.",
    flags: [],
    examples: [
      { line: "cinch permissions list", does: "lists them" },
      {
        line: "cinch permissions list --strict-permissions",
        does: "without the rules of the default profile",
      },
    ],
  },
] as const satisfies readonly CliVerb[];

export type PermissionsContext = CommandContext<
  typeof PERMISSIONS_FLAGS,
  (typeof PERMISSIONS_VERBS)[number]["name"]
>;
