import { PERMISSION_COMMANDS } from "../../guard/permissions/slash-commands.ts";
import type { CommandSpec } from "../../protocol/commands/command-spec.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { Feature } from "../../session/feature.ts";
import { FEATURES } from "../features.ts";
import { ENGINE_COMMANDS } from "./engine-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

/** Returns every slash command of an engine with these features, in the order of `/help`. */
export function commandsWith(features: readonly Feature[]): readonly CommandSpec[] {
  return [
    ...ENGINE_COMMANDS,
    ...features.flatMap(({ commands = [] }) => commands),
    ...PERMISSION_COMMANDS,
    ...SESSION_COMMANDS,
  ];
}

/** Every slash command that comes with cinch. Clients get the list by `ListSlashCommands`. */
export const SHIPPED_COMMANDS: readonly CommandSpec[] = commandsWith(FEATURES);

/** Returns a slash command as clients get it. */
export function commandInfo({
  name,
  words = "",
  help,
  aliases,
  isText,
  does,
}: CommandSpec): SlashCommandInfo {
  return {
    name,
    usage: `/${name}${words === "" ? "" : ` ${words}`}`,
    help,
    command: ("command" in does ? does.command : undefined) ?? "client",
    ...(aliases === undefined ? {} : { aliases: [...aliases] }),
    ...(isText === undefined ? {} : { takes_text: true }),
    ...("by" in does ? {} : { stands_for: does }),
  };
}
