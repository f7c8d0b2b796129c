import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { SlashCommand } from "./slash.ts";
import { parseTyped } from "./slash.ts";

/**
 * The command that a short name stands for, with the words that follow it behind those of its own (CMD-02); undefined
 * where it is no alias. An alias is taken once: what it stands for is a command, and never another alias.
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
