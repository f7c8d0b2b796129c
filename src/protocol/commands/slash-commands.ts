import { EFFORT_WORDS } from "../effort.ts";
import type { SlashCommandInfo } from "../resources.ts";
import type { CommandOf } from "./commands.ts";
import { SLASH_COMMANDS } from "./own-commands.ts";

const LEVELS = ["ReadOnly", "WorkspaceWrite", "DangerFullAccess"] satisfies CommandOf<"SetLevel">["level"][];

/** Every value of a word behind a command. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["effort", EFFORT_WORDS],
  ["level", LEVELS],
]);

/** Returns a command as an engine lists it, with its parts as separate fields ([A] § Slash commands). */
export function describeCommand(info: SlashCommandInfo): SlashCommandInfo {
  const { name, usage, help } = info;
  const colon = name.indexOf(":");
  const words = usage.startsWith(`/${name} `) ? usage.slice(name.length + 2) : "";
  const isBuiltin = SLASH_COMMANDS.some((builtin) => builtin.name === name);
  const values = isBuiltin ? VALUES.get(name) : undefined;
  const chosen = values === undefined ? {} : { enum: [...values] };
  const known = words === "" ? (isBuiltin ? { maxLength: 0 } : {}) : { description: words };
  return {
    ...info,
    ...(colon === -1 ? {} : { namespace: name.slice(0, colon) }),
    description: help,
    ...(words === "" ? {} : { args_help: words }),
    args_schema: { type: "string", ...known, ...chosen },
    is_builtin: isBuiltin,
  };
}

type Own = (typeof SLASH_COMMANDS)[number];

/** Names without a namespace that a client runs itself: the compiler requires each client to implement them. */
export type ClientCommandName = Exclude<
  Exclude<Own, { readonly stands_for: unknown }>["name"],
  `${string}:${string}`
>;

/** Names without a namespace; nobody else may use one as a namespace. */
export const BUILTIN_COMMAND_NAMES: readonly string[] = [
  ...SLASH_COMMANDS.map(({ name }) => name).filter((name) => !name.includes(":")),
  ...SLASH_COMMANDS.flatMap((command) => ("aliases" in command ? command.aliases : [])),
  "sessions",
];

/** The namespaces of cinch: no plugin can use them. */
export const BUILTIN_NAMESPACES: readonly string[] = [
  ...new Set(
    SLASH_COMMANDS.flatMap(({ name }) => (name.includes(":") ? [name.slice(0, name.indexOf(":"))] : [])),
  ),
];

/** Namespaces between engine and clients: neither a plugin nor an alias may use them. */
export const RESERVED_NAMESPACES: readonly string[] = [
  "cinch",
  "engine",
  "profile",
  "plan",
  "memory",
  "plugins",
];

/** Names of the commands whose words are one text. */
export const TEXT_COMMANDS: ReadonlySet<string> = new Set(
  SLASH_COMMANDS.flatMap((command) => ("takes_text" in command ? [command.name] : [])),
);

/** Written by a user or project: an alias may stand for one of them. */
const WRITTEN = ["skills", "agents", "prompts"];

/**
 * Returns true if a command, without its slash, belongs to cinch: nobody else may define it, and no alias may have
 * its name or stand for it (CMD-02). Skills, agents and prompts do not belong to cinch.
 */
export function isBuiltinCommand(name: string): boolean {
  if (BUILTIN_COMMAND_NAMES.includes(name) || SLASH_COMMANDS.some((command) => command.name === name))
    return true;
  const namespace = name.slice(0, Math.max(0, name.indexOf(":")));
  const isOurs = [BUILTIN_NAMESPACES, RESERVED_NAMESPACES, BUILTIN_COMMAND_NAMES].some((names) =>
    names.includes(namespace),
  );
  return isOurs && !WRITTEN.includes(namespace);
}
