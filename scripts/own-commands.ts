import type { CommandAction, CommandSpec } from "../src/protocol/commands/command-spec.ts";

/** The slash commands that come with cinch, as one module that every client and the engine can load. */
export function ownCommandsText(specs: readonly CommandSpec[]): string {
  const infos = specs.map(({ name, words = "", help, aliases, isText, does }) => ({
    name,
    usage: `/${name}${words === "" ? "" : ` ${words}`}`,
    help,
    command: commandOf(does),
    ...(aliases === undefined ? {} : { aliases }),
    ...(isText === undefined ? {} : { takes_text: true }),
    ...("by" in does ? {} : { stands_for: does }),
  }));
  return [
    "// Made by `npm run generate` from the lists in src/app/slash/slash-commands.ts. Changes here are lost.",
    'import type { SlashCommandInfo } from "../resources.ts";',
    "",
    "/** Every slash command that comes with cinch and is the same in each session. */",
    `export const SLASH_COMMANDS = ${JSON.stringify(infos, null, 2)} as const satisfies readonly SlashCommandInfo[];`,
    "",
  ].join("\n");
}

function commandOf(does: CommandAction): string {
  return ("command" in does ? does.command : undefined) ?? "client";
}

/** The rows of the table of slash commands in the documentation. */
export function commandRows(specs: readonly CommandSpec[]): string {
  const bars = (text: string) => text.replaceAll("|", "\\|");
  const rows = specs.map(({ name, words = "", help }) => {
    return `| \`${bars(`/${name}${words === "" ? "" : ` ${words}`}`)}\` | ${bars(help)} |`;
  });
  return ["| | |", "|---|---|", ...rows, ""].join("\n");
}
