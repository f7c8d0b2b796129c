import { near } from "../../base/near.ts";
import type { SlashCommand } from "../kit/slash.ts";
import { printCommand } from "../kit/slash.ts";
import { SESSIONS_USAGE } from "./sessions.ts";

/** The built-in commands of the line client, as its help lists them. */
export const LINE_COMMANDS = [
  { name: "help", usage: "/help", help: "list these commands" },
  { name: "cancel", usage: "/cancel", help: "stop the turn that runs (as Ctrl-C does)" },
  { name: "model", usage: "/model [provider:name]", help: "show the model, or go on with another one" },
  { name: "compact", usage: "/compact", help: "make the conversation shorter: older turns become a summary" },
  {
    name: "rewind",
    usage: "/rewind [N [files | conversation | both]]",
    help: "list the turns, or go back to right before one of them",
  },
  { name: "cost", usage: "/cost", help: "what this session has cost so far" },
  {
    name: "permissions",
    usage: "/permissions [revoke N | promote N]",
    help: "what you have allowed for this session",
  },
  { name: "memory", usage: "/memory", help: "which memories this session was given, wrote and removed" },
  { name: "steer", usage: "/steer TEXT", help: "tell the turn that runs something, before its next step" },
  {
    name: "withdraw",
    usage: "/withdraw [N]",
    help: "list what waits for its turn, or take back number N of it",
  },
  { name: "drop", usage: "/drop", help: "forget the text that was kept since it could not be sent" },
  { name: "quit", usage: "/quit", help: "stop the turn that runs, then leave (also /exit)" },
] as const;

export type LineCommandName = (typeof LINE_COMMANDS)[number]["name"];

/** The built-in command that is meant, where it is one of ours. */
export function builtIn(command: SlashCommand): LineCommandName | undefined {
  if (command.namespace !== undefined) return undefined;
  const name = command.name === "exit" ? "quit" : command.name;
  return LINE_COMMANDS.find((known) => known.name === name)?.name;
}

export function helpText(): string {
  const width = Math.max(...LINE_COMMANDS.map((command) => command.usage.length));
  const sessionsWidth = Math.max(...SESSIONS_USAGE.map(([usage]) => usage.length));
  return [
    ...LINE_COMMANDS.map((command) => `  ${command.usage.padEnd(width)}  ${command.help}`),
    ...SESSIONS_USAGE.map(([usage, help]) => `  ${usage.padEnd(sessionsWidth)}  ${help}`),
    "What you type while a turn runs waits for its end and is then sent, in order.",
    "A line that ends with \\ goes on in the next one. A line that begins with // is sent with one slash.",
  ].join("\n");
}

export function unknownText(command: SlashCommand): string {
  const [meant] = near(
    command.name,
    LINE_COMMANDS.map((known) => known.name),
  );
  const hint = meant === undefined ? "/help lists those there are." : `Did you mean /${meant}?`;
  return `There is no command ${printCommand(command)}. ${hint}`;
}
