import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { SlashCommand } from "./slash.ts";
import { parseTyped } from "./slash.ts";

/**
 * Returns the command that an alias stands for, with the typed words behind its own (CMD-02); undefined if it is no
 * alias. An alias is replaced once: its result is a command, and never another alias.
 */
export function aliasedCommand(
  { namespace, name, rest }: SlashCommand,
  commands: readonly SlashCommandInfo[],
): SlashCommand | undefined {
  if (namespace !== undefined) return undefined;
  const meant = commands.find((command) => command.name === name)?.alias_of;
  if (meant === undefined) return undefined;
  const typed = parseTyped(rest === "" ? meant : `${meant} ${rest}`);
  return typed.kind === "command" && typed.namespace !== undefined ? typed : undefined;
}
