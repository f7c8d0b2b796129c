import { SLASH_COMMANDS } from "../../../protocol/commands/own-commands.ts";
import type { SlashCommandInfo } from "../../../protocol/resources.ts";
import { likeCommands } from "../../../view/slash/complete.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { printCommand } from "../../../view/slash/slash.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";

/** A longer usage has its help on the next line, so that both fit in 80 columns. */
const USAGE_COLUMNS = 24;
/** Limit on listed commands of the session itself; the rest are counted. */
const LISTED_MAX = 40;
const COLUMNS_MAX = 80;

/**
 * Returns the help: commands of cinch without a namespace, then each namespace, then the commands of this
 * session alone.
 * @param listed the session's commands as the engine lists them.
 */
export function slashHelpText(listed: readonly SlashCommandInfo[] = SLASH_COMMANDS): string {
  const common = new Set<string>(SLASH_COMMANDS.map(({ name }) => name));
  const offered = new Set<string>(listed.map(({ name }) => name));
  const shipped = SLASH_COMMANDS.filter(({ name }) => offered.has(name));
  const alone = shipped.filter(({ name }) => !name.includes(":"));
  const grouped = shipped.filter(({ name }) => name.includes(":"));
  const own = listed.filter(({ name }) => !common.has(name));
  const rest = own.length - LISTED_MAX;
  return [
    ...alone.map(lineOf),
    "",
    ...grouped.map(lineOf),
    ...(own.length === 0 ? [] : ["", "Of this session:", ...own.slice(0, LISTED_MAX).map(lineOf)]),
    ...(rest > 0 ? [`  and ${rest} more: /skills, /agents and /prompts list them`] : []),
    "",
    "What you type while a turn runs waits for its end and is then sent, in order.",
    "A line that ends with \\ continues in the next one.",
    "A line that begins with // is sent with one slash.",
    "!command runs a command that the model sees too; !!command hides it.",
  ].join("\n");
}

function lineOf({ usage, help }: SlashCommandInfo): string {
  const shown = neutraliseLine(usage);
  const gap =
    shown.length <= USAGE_COLUMNS
      ? shown.padEnd(USAGE_COLUMNS)
      : `${shown}\n${" ".repeat(USAGE_COLUMNS + 2)}`;
  const room = COLUMNS_MAX - USAGE_COLUMNS - 4;
  const words = neutraliseLine(help);
  return `  ${gap}  ${words.length > room ? `${words.slice(0, room - 1)}…` : words}`;
}

/** Returns the text about an unknown command, with the commands it was probably meant to be. */
export function unknownText(command: SlashCommand, commands: readonly SlashCommandInfo[]): string {
  const matches = likeCommands(command, commands);
  if (command.name === "" && matches.length > 0)
    return neutraliseLine(`Behind ${printCommand(command)} there are ${matches.join(", ")}`);
  const hint =
    matches.length === 0 ? "/help lists those there are." : `Did you mean ${matches.join(" or ")}?`;
  return neutraliseLine(`There is no command ${printCommand(command)}. ${hint}`);
}
