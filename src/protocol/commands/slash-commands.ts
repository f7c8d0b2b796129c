import type { SlashCommandInfo } from "../resources.ts";

/**
 * Every command that a person can type behind a slash and that is the same in each session ([A] § Slash commands, CMD-01):
 * one list for all clients, and for whoever asks the engine. Names without a namespace are cinch's own; a session adds to
 * the namespaces its skills, agents, prompts, servers and plugins.
 */
export const SLASH_COMMANDS = [
  own("help", "", "list the commands", "client"),
  own("cancel", "", "stop the turn that runs (as Ctrl-C does)", "CancelTurn"),
  own("clear", "", "clear the screen; the session keeps everything", "client"),
  own("compact", "", "make the conversation shorter: a summary of it", "CompactSession"),
  own("cost", "", "what this session has cost, by model, with prices", "client"),
  own("model", "[provider:name]", "show the model, or go on with another one", "SetModel"),
  own("effort", "WORD", "how hard it thinks: off, low, … high, xhigh or max", "SetModel"),
  own(
    "rewind",
    "[N [files | conversation | both] | undo]",
    "list the turns, go back to before one, or undo that",
    "RewindSession",
  ),
  own("plan", "[off]", "plan first: nothing changes until you approve it", "EnterPlanMode"),
  own("steer", "TEXT", "tell it to the turn that runs, at its next step", "SendInput"),
  own("withdraw", "[N]", "list what waits for its turn, or take back number N", "WithdrawInput"),
  own("drop", "", "forget the text that could not be sent and was kept", "client"),
  own("memory", "", "memories that were given, written and removed here", "client"),
  own("health", "", "how every part of the engine is", "CustomCommand"),
  own("web", "", "where this engine's web client is", "CustomCommand"),
  own("resume", "ID", "go on with another session; last is the newest", "AttachSession"),
  own("quit", "", "stop the turn that runs, then leave (also /exit)", "client"),
  own("permissions", "", "what you have allowed for this session", "client"),
  own("permissions:revoke", "N | RULE", "take back what was allowed for this session", "RevokeRule"),
  own("permissions:promote", "N | RULE [--everywhere]", "keep it for later sessions", "PromoteRule"),
  own("profile", "", "the profile in use, its skills, servers, tools", "CustomCommand"),
  own("profiles", "[PATH]", "the profiles that there are", "CustomCommand"),
  own(
    "profiles:NAME",
    "[--import N] [--in-place]",
    "go on under another profile, in a new session",
    "SwitchProfile",
  ),
  own("skills", "", "the skills that there are here", "CustomCommand"),
  own("skills:NAME", "[TEXT]", "have the model work with a skill", "SendInput"),
  own("skills:reload", "", "look at all skills anew; asks about what has changed", "ReloadSkills"),
  own("agents", "", "the kinds of sub-agents that there are here", "CustomCommand"),
  own("agents:TYPE", "TEXT", "give a task to a sub-agent of this kind", "SendInput"),
  own("prompts", "", "the prompts that you or the project have written", "client"),
  own("prompts:NAME", "[WORDS]", "send a prompt of yours, with words put into it", "CustomCommand"),
  own("mcp", "", "the MCP servers of this session, and how they are", "ManageMcp"),
  own("mcp:SERVER", "[status | restart | approve]", "one MCP server", "ManageMcp"),
  own("mcp:restart", "SERVER", "start an MCP server anew", "ManageMcp"),
  own("mcp:approve", "SERVER", "accept its program, or what it says of its tools", "ManageMcp"),
  own("tasks", "", "what runs in the background", "client"),
  own("tasks:stop", "N", "end what runs in the background", "StopTask"),
  own("sessions:list", "[all]", "the sessions of this directory", "CustomCommand"),
  own("sessions:find", "ID", "find a session by the beginning of its id", "CustomCommand"),
  own("sessions:resume", "ID", "go on with another one; last is the newest", "AttachSession"),
  own("sessions:attach", "ID", "the same, as notices of agents' sessions say it", "AttachSession"),
  own("sessions:hush", "ID", "tell no more what an agent's session asks for", "CustomCommand"),
  own("sessions:diff", "[TURN | ID]", "the files that a session has changed", "RewindSession"),
  own("sessions:branch", "[ID] [at TURN|eN]", "make a new one, up to the end of a turn", "CustomCommand"),
  own("sessions:pin", "[ID]", "keep one from expiring", "PinSession"),
  own("sessions:unpin", "[ID]", "let it expire again", "PinSession"),
  own(
    "sessions:export",
    "[ID] [--format FORMAT]",
    "write one to a file, as jsonl or markdown",
    "CustomCommand",
  ),
  own("sessions:dismiss", "", "say no more that these sessions expire soon", "CustomCommand"),
] as const satisfies readonly SlashCommandInfo[];

function own<Name extends string>(
  name: Name,
  words: string,
  help: string,
  command: string,
): SlashCommandInfo & { readonly name: Name } {
  return { name, usage: `/${name}${words === "" ? "" : ` ${words}`}`, help, command };
}

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

type Names = (typeof SLASH_COMMANDS)[number]["name"];

/** The names without a namespace: what `/help` or `/quit` does is for nobody else to say. */
export type BuiltInName = Exclude<Names, `${string}:${string}`>;

/** The names that stand alone: none of them is a namespace of anybody else's either. */
export const OWN_NAMES: readonly string[] = [
  ...SLASH_COMMANDS.map(({ name }) => name).filter((name) => !name.includes(":")),
  "exit",
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
