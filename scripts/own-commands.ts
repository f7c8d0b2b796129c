import { commandInfo } from "../src/app/slash/slash-commands.ts";
import type { CommandSpec } from "../src/protocol/commands/command-spec.ts";

/** The slash commands that come with cinch, as one module that every client and the engine can load. */
export function ownCommandsText(specs: readonly CommandSpec[]): string {
  return [
    "// Made by `npm run generate` from the lists in src/app/slash/slash-commands.ts. Changes here are lost.",
    'import type { SlashCommandInfo } from "../resources.ts";',
    "",
    "/** Every slash command that comes with cinch and is the same in each session. */",
    `export const SLASH_COMMANDS = ${JSON.stringify(specs.map(commandInfo), null, 2)} as const satisfies readonly SlashCommandInfo[];`,
    "",
  ].join("\n");
}

/** The rows of the table of slash commands in the documentation. */
export function commandRows(specs: readonly CommandSpec[]): string {
  const bars = (text: string) => text.replaceAll("|", "\\|");
  const rows = specs.map(({ name, words = "", help }) => {
    return `| \`${bars(`/${name}${words === "" ? "" : ` ${words}`}`)}\` | ${bars(help)} |`;
  });
  return ["| | |", "|---|---|", ...rows, ""].join("\n");
}
