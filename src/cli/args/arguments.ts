import { nearestWords } from "../../base/text/near.ts";
import type { CliFlag } from "../../session/commands/cli-command.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";
import { BARE } from "../commands/bare.ts";
import { Misuse } from "./flag-values.ts";
import type { Words } from "./flag-words.ts";
import { readWords } from "./flag-words.ts";
import { HELP_TOPICS } from "./help-topics.ts";
import { readCall } from "./parse-command.ts";
import type { AnyCommand, ParsedCall } from "./parsed-call.ts";
import { EVERYWHERE, SETTING_NAMES, settingFlag } from "./settings-flags.ts";

/** A parsed command line. Nothing outside its words has been read yet. */
export type CommandLine =
  | ParsedCall
  | { readonly kind: "version" }
  | { readonly kind: "licenses" }
  /** About everything, a topic, or a command and its verb. */
  | { readonly kind: "help"; readonly about: readonly string[] }
  /** `json` is true if the result was requested as JSON. */
  | { readonly kind: "usage"; readonly problem: string; readonly json: boolean };

/**
 * Reads the command line of this process. The list of subcommands is loaded only if they are needed: most starts are
 * `cinch` or `cinch -p`.
 */
export async function readCommandLine(argv: readonly string[]): Promise<CommandLine> {
  const bare = parseArguments(argv, BARE);
  if (bare.kind === "command") return bare;
  const { COMMANDS } = await import("../commands/commands.ts");
  return parseArguments(argv, COMMANDS);
}

/** Reads a command line. Never throws: a problem is one sentence, with the right form or the nearest known word. */
export function parseArguments(argv: readonly string[], commands: readonly AnyCommand[]): CommandLine {
  const words = readWords(argv, knownFlags(commands));
  try {
    if (words.flags.has("help")) return { kind: "help", about: aboutOf(words, commands) };
    if (words.flags.has("version")) return { kind: "version" };
    if (words.flags.has("licenses")) return { kind: "licenses" };
    if (words.problem !== undefined) throw new Misuse(words.problem(helpOnFlags(words, commands)));
    const [first, ...rest] = words.plain;
    if (first?.isText === false && first.text === "help")
      return { kind: "help", about: aboutOf({ ...words, plain: rest }, commands) };
    return callOf(words, commands);
  } catch (thrown) {
    if (!(thrown instanceof Misuse)) throw thrown;
    const json = words.flags.get("output-format") === "json";
    return { kind: "usage", problem: neutraliseLine(thrown.message), json };
  }
}

/** Returns the command line that lists the flags of the command that was called. */
function helpOnFlags({ plain: [first] }: Words, commands: readonly AnyCommand[]): string {
  const isNamed = first?.isText === false && named(first.text, commands) !== undefined;
  return isNamed ? `cinch ${first.text} --help` : "cinch help flags";
}

/** Returns the flags of all commands. A flag of several commands is listed once. */
export function knownFlags(commands: readonly AnyCommand[]): readonly CliFlag[] {
  const all = [
    ...commands.flatMap(({ flags }) => flags),
    ...SETTING_NAMES.map((name) => settingFlag(name)),
    ...EVERYWHERE,
  ];
  return [...new Map(all.map((flag) => [flag.name, flag])).values()];
}

function callOf({ flags, plain }: Words, commands: readonly AnyCommand[]): ParsedCall {
  const [first] = plain;
  // A sentence, or a slash command, can be no subcommand: it is a prompt.
  const isNamed = first !== undefined && !first.isText && /^[\w-]*$/.test(first.text);
  const name = isNamed ? first.text : flags.has("print") ? "-p" : "";
  const command = isNamed ? named(name, commands) : commands.find((each) => each.name === name);
  if (command === undefined) throw unknown(name, commands);
  const rest = plain.slice(isNamed ? 1 : 0).map(({ text }) => text);
  return readCall(command, rest, flags, commands);
}

function named(word: string, commands: readonly AnyCommand[]): AnyCommand | undefined {
  return commands.find(({ name }) => name === word && /^[a-z]/.test(name));
}

function unknown(word: string, commands: readonly AnyCommand[]): Misuse {
  const [meant] = nearestWords(
    word,
    commands.map(({ name }) => name),
  );
  const hint = meant === undefined ? "" : `did you mean cinch ${meant}? `;
  return new Misuse(
    `there is no command "${word}"; ${hint}to begin a conversation with this word: cinch -- ${word}; with more: cinch "…"`,
  );
}

/** Returns the subject of the help; nothing for the list of commands. @throws Misuse for an unknown word. */
function aboutOf({ flags, plain }: Words, commands: readonly AnyCommand[]): readonly string[] {
  const [word, verb = ""] = plain.map(({ text }) => text);
  if (word === undefined || plain[0]?.isText === true) return flags.has("print") ? ["-p"] : [];
  const command = named(word, commands);
  if (command?.verbs?.some(({ name }) => name !== "" && name === verb) === true) return [word, verb];
  const names = commands.map(({ name }) => name);
  if ([...names, ...HELP_TOPICS].includes(word)) return [word];
  if (word === "help") return [];
  const [meant] = nearestWords(word, [...names, ...HELP_TOPICS]);
  const hint = meant === undefined ? "cinch --help lists them" : `did you mean cinch help ${meant}?`;
  throw new Misuse(`there is no command "${word}"; ${hint}`);
}
