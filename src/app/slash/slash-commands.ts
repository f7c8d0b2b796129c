import { PERMISSION_COMMANDS } from "../../guard/permissions/slash-commands.ts";
import type { CommandSpec } from "../../protocol/commands/command-spec.ts";
import { FEATURES } from "../features.ts";
import { ENGINE_COMMANDS } from "./engine-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

/** Every slash command that comes with cinch, in the order of `/help`. Clients get the list by `ListSlashCommands`. */
export const SHIPPED_COMMANDS: readonly CommandSpec[] = [
  ...ENGINE_COMMANDS,
  ...FEATURES.flatMap(({ commands = [] }) => commands),
  ...PERMISSION_COMMANDS,
  ...SESSION_COMMANDS,
];
