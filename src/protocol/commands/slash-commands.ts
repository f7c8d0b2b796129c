import type { SlashCommandInfo } from "../resources.ts";
import { SLASH_COMMANDS } from "./own-commands.ts";

/** A command as an engine lists it: its parts stand by themselves too ([A] § Slash commands). */
export function listedCommand(info: SlashCommandInfo): SlashCommandInfo {
  const { name, usage, help } = info;
  const colon = name.indexOf(":");
  const words = usage.startsWith(`/${name} `) ? usage.slice(name.length + 2) : "";
  const isBuiltin = SLASH_COMMANDS.some((own) => own.name === name);
  const known = words === "" ? (isBuiltin ? { maxLength: 0 } : {}) : { description: words };
  return {
    ...info,
    ...(colon === -1 ? {} : { namespace: name.slice(0, colon) }),
    description: help,
    ...(words === "" ? {} : { args_help: words }),
    args_schema: { type: "string", ...known },
    is_builtin: isBuiltin,
  };
}

type Own = (typeof SLASH_COMMANDS)[number];

/** The names without a namespace that a client carries out by itself: the compiler asks each client for them. */
export type ClientCommandName = Exclude<
  Exclude<Own, { readonly stands_for: unknown }>["name"],
  `${string}:${string}`
>;

/** The names that stand alone: none of them is a namespace of anybody else's either. */
export const OWN_NAMES: readonly string[] = [
  ...SLASH_COMMANDS.map(({ name }) => name).filter((name) => !name.includes(":")),
  ...SLASH_COMMANDS.flatMap((command) => ("aliases" in command ? command.aliases : [])),
  "sessions",
];

/** The namespaces that are cinch's own: no plugin can have one of them. */
export const OWN_NAMESPACES: readonly string[] = [
  ...new Set(
    SLASH_COMMANDS.flatMap(({ name }) => (name.includes(":") ? [name.slice(0, name.indexOf(":"))] : [])),
  ),
];

/** What engine and clients call things among themselves: neither for a plugin nor for an alias. */
export const INNER_NAMESPACES: readonly string[] = [
  "cinch",
  "engine",
  "profile",
  "plan",
  "memory",
  "plugins",
];

/** Names of those of them whose words are one text. */
export const TEXT_COMMANDS: ReadonlySet<string> = new Set(
  SLASH_COMMANDS.flatMap((command) => ("takes_text" in command ? [command.name] : [])),
);

/** What a person or a project has written: an alias may stand for one of them. */
const WRITTEN = ["skills", "agents", "prompts"];

/**
 * Whether a command, without its slash, is cinch's own: what it does is for nobody else to say, and no alias may be called
 * so or stand for it (CMD-02). A skill, an agent and a prompt are not.
 */
export function isOwnCommand(name: string): boolean {
  if (OWN_NAMES.includes(name) || SLASH_COMMANDS.some((command) => command.name === name)) return true;
  const namespace = name.slice(0, Math.max(0, name.indexOf(":")));
  const isOurs = [OWN_NAMESPACES, INNER_NAMESPACES, OWN_NAMES].some((names) => names.includes(namespace));
  return isOurs && !WRITTEN.includes(namespace);
}
