import { near } from "../../base/near.ts";
import type { SlashCommand } from "../kit/slash.ts";
import { printCommand } from "../kit/slash.ts";
import { PROFILES_USAGE } from "./profiles.ts";
import { SESSIONS_USAGE } from "./sessions.ts";
import { SKILLS_USAGE } from "./skills.ts";

/** The built-in commands of the line client, as its help lists them. */
export const LINE_COMMANDS = [
  { name: "help", usage: "/help", help: "list these commands" },
  { name: "cancel", usage: "/cancel", help: "stop the turn that runs (as Ctrl-C does)" },
  { name: "model", usage: "/model [provider:name]", help: "show the model, or go on with another one" },
  {
    name: "effort",
    usage: "/effort WORD",
    help: "how hard it thinks: off, low, medium, high, max …",
  },
  { name: "compact", usage: "/compact", help: "make the conversation shorter: a summary of it" },
  {
    name: "rewind",
    usage: "/rewind [N [files | conversation | both] | undo]",
    help: "list the turns, go back to before one, or undo that",
  },
  {
    name: "plan",
    usage: "/plan [off]",
    help: "plan first: nothing changes until you approve it",
  },
  { name: "cost", usage: "/cost", help: "what this session has cost so far" },
  {
    name: "permissions",
    usage: "/permissions [revoke N | promote N]",
    help: "what you have allowed for this session",
  },
  { name: "memory", usage: "/memory", help: "memories that were given, written and removed here" },
  { name: "profile", usage: "/profile", help: "the profile in use, its skills, servers, tools" },
  { name: "profiles", usage: "/profiles [PATH]", help: "the profiles that there are" },
  {
    name: "tasks",
    usage: "/tasks [stop N]",
    help: "what runs in the background, or end one of it",
  },
  { name: "skills", usage: "/skills", help: "the skills that there are here" },
  { name: "steer", usage: "/steer TEXT", help: "tell it to the turn that runs, at its next step" },
  {
    name: "withdraw",
    usage: "/withdraw [N]",
    help: "list what waits for its turn, or take back number N",
  },
  { name: "drop", usage: "/drop", help: "forget the text that could not be sent and was kept" },
  { name: "quit", usage: "/quit", help: "stop the turn that runs, then leave (also /exit)" },
] as const;

export type LineCommandName = (typeof LINE_COMMANDS)[number]["name"];

/** The built-in command that is meant, where it is one of ours. */
export function builtIn(command: SlashCommand): LineCommandName | undefined {
  if (command.namespace !== undefined) return undefined;
  const name = command.name === "exit" ? "quit" : command.name;
  return LINE_COMMANDS.find((known) => known.name === name)?.name;
}

/** A usage that is longer has its help on the next line, so that all of it stands in 80 columns. */
const USAGE_COLUMNS = 24;

export function helpText(): string {
  const usages = [
    ...LINE_COMMANDS.map(({ usage, help }) => [usage, help] as const),
    ...PROFILES_USAGE,
    ...SKILLS_USAGE,
    ...SESSIONS_USAGE,
  ];
  return [
    ...usages.map(([usage, help]) => {
      const gap =
        usage.length <= USAGE_COLUMNS
          ? usage.padEnd(USAGE_COLUMNS)
          : `${usage}\n${" ".repeat(USAGE_COLUMNS + 2)}`;
      return `  ${gap}  ${help}`;
    }),
    "What you type while a turn runs waits for its end and is then sent, in order.",
    "A line that ends with \\ goes on in the next one.",
    "A line that begins with // is sent with one slash.",
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
