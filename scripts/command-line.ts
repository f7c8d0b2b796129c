import type { AnyCommand } from "../src/cli/args/parsed-call.ts";
import { flagForm, labelOf, wordsForm } from "../src/cli/args/usage.ts";
import { COMMANDS } from "../src/cli/commands/commands.ts";
import { EXIT_TEXTS } from "../src/cli/exit-codes.ts";

/** Returns `docs/command-line.md`: every subcommand and verb with what it does, made of their `command.ts`. */
export function commandLinePage(commands: readonly AnyCommand[] = COMMANDS): string {
  const rows = commands
    .filter(({ name }) => /^[a-z]/.test(name))
    .flatMap((command) => {
      const { summary, verbs, page } = command;
      const name = page === undefined ? `\`${labelOf(command)}\`` : `[\`${labelOf(command)}\`](${page})`;
      const actions = verbs ?? [];
      return [
        `| ${name} | ${cell(summary)} |`,
        ...actions.map((verb) => {
          const required = (verb.required ?? []).map((group) =>
            group.map((each) => flagForm(command.flags.find((flag) => flag.name === each))).join(" or "),
          );
          const form = [labelOf(command, verb), wordsForm(verb), ...required].filter((part) => part !== "");
          return `| \`${cell(form.join(" "))}\` | ${cell(verb.summary)} |`;
        }),
      ];
    });
  return [
    "# Subcommands",
    "",
    "`cinch` works with an agent in this directory, and `cinch -p` answers one prompt. The rest are subcommands.",
    "`cinch COMMAND --help` shows the flags of one, with examples; `cinch help flags` those of a session.",
    "",
    "This page is made of the commands' own descriptions by `npm run generate`.",
    "",
    "| Command | What it does |",
    "|---|---|",
    ...rows,
    "",
    "| Exit code | Meaning |",
    "|---|---|",
    ...EXIT_TEXTS.map(([code, text]) => `| ${code} | ${cell(text)} |`),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
