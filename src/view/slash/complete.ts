import { nearestWords } from "../../base/text/near.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import { BUILTIN_COMMAND_NAMES } from "../../protocol/commands/slash-commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { CommandName } from "./slash.ts";
import { printCommand } from "./slash.ts";

/** Completion of the word that is being typed, or candidates to choose from. */
export interface Completion {
  /** Longest common beginning of all candidates: at least the typed text, or its correction. */
  readonly text: string;
  /** Candidates with their slash, in the order of the list. */
  readonly candidates: readonly string[];
}

/** Names that are the same in each session. One in capitals stands for any: `skills:NAME`. */
const COMMON = new Set<string>(SLASH_COMMANDS.map(({ name }) => name));
const PLACEHOLDER = /:[A-Z]+$/;
/** Limit for the candidates. */
export const COMPLETED_MAX = 50;
const MEANT_MAX = 5;
/** Text that goes into a line, or on a terminal, has no control character, whichever engine sends it. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,255}$/u;

/**
 * Completes a slash command while its name is typed ([A] § Tab-completion contract): `/sk` becomes `/skills`, then
 * `/skills:`, and `/skills:pd` the skill that begins so, or similar ones; `/` alone lists the names without a namespace
 * and the namespaces. Behind a name whose one word is a name too (`/mcp:restart SERVER`, beside `/mcp:SERVER`) the word
 * is completed. Undefined if there is nothing to complete: no slash, or other words follow.
 *
 * @param commands as the engine lists them: those of every session, and those of this one.
 */
export function completeSlash(typed: string, commands: readonly SlashCommandInfo[]): Completion | undefined {
  const word = /^\/([^\s/]*)$/.exec(typed)?.[1];
  if (word === undefined) return completeArgument(typed, commands);
  const all = commands.map(({ name }) => name).filter((name) => NAME.test(name));
  const names = [...new Set(all.filter((name) => !isPlaceholder(name)))];
  const namespaces = [...new Set(all.flatMap((name) => namespaceOf(name) ?? []))];
  const known = word.includes(":") ? names.filter((name) => name.includes(":")) : tops(names, namespaces);
  const begins = known.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  const found = (begins.length > 0 ? begins : alike(word, { known, namespaces })).slice(0, COMPLETED_MAX);
  const [only] = found;
  if (only === undefined) return { text: typed, candidates: [] };
  const shared = begins.length > 0 ? sharedStart(found) : found.length === 1 ? only : word;
  return { text: `/${shared}`, candidates: found.map((name) => `/${name}`) };
}

/**
 * Returns the few commands, each with its slash, that an unknown one was probably meant to be: each can be carried out.
 */
export function likeCommands(command: CommandName, commands: readonly SlashCommandInfo[]): readonly string[] {
  const like = completeSlash(printCommand(command), commands)?.candidates ?? [];
  const meant = like.flatMap((name) => (name.endsWith(":") ? namesIn(name, commands) : [name]));
  return [...new Set(meant)].slice(0, MEANT_MAX);
}

/** Returns the names in a namespace besides those of every session; if there are none, the command that lists it. */
function namesIn(namespace: string, commands: readonly SlashCommandInfo[]): readonly string[] {
  const all = commands.map(({ name }) => `/${name}`).filter((name) => name.startsWith(namespace));
  const otherNames = all.filter((name) => NAME.test(name.slice(1)) && !COMMON.has(name.slice(1)));
  const alone = namespace.slice(1, -1);
  return otherNames.length === 0 && BUILTIN_COMMAND_NAMES.includes(alone) ? [`/${alone}`] : otherNames;
}

function completeArgument(typed: string, commands: readonly SlashCommandInfo[]): Completion | undefined {
  const [, name = "", word = ""] = /^\/(\S+) +(\S*)$/.exec(typed) ?? [];
  const usage = commands.find((command) => command.name === name)?.usage ?? "";
  const placeholder = /^\S+ ([A-Z]+)$/.exec(usage)?.[1];
  const namespace = namespaceOf(name);
  if (placeholder === undefined || !COMMON.has(`${namespace}:${placeholder}`)) return undefined;
  const all = commands.map((command) => command.name).filter((each) => NAME.test(each) && !COMMON.has(each));
  const subcommands = [...new Set(all.filter((each) => namespaceOf(each) === namespace).map(afterColon))];
  const found = subcommands.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  const before = typed.slice(0, typed.length - word.length);
  return {
    text: before + (found.length === 0 ? word : sharedStart(found)),
    candidates: found.slice(0, COMPLETED_MAX).map((each) => before + each),
  };
}

/** Returns true for a name that a person can type: no placeholder, and nothing that could drive a terminal. */
export function isOffered(name: string): boolean {
  return NAME.test(name) && !isPlaceholder(name);
}

function isPlaceholder(name: string): boolean {
  return PLACEHOLDER.test(name) && COMMON.has(name);
}

/** Returns names that stand alone, and namespaces with the colon that their names follow. */
function tops(names: readonly string[], namespaces: readonly string[]): readonly string[] {
  return [...names.filter((name) => !name.includes(":")), ...namespaces.map((namespace) => `${namespace}:`)];
}

function namespaceOf(name: string): string | undefined {
  const colon = name.indexOf(":");
  return colon === -1 ? undefined : name.slice(0, colon);
}

interface Known {
  readonly known: readonly string[];
  /** Namespaces, also those without a name yet: `prompts`, before a person has written one. */
  readonly namespaces: readonly string[];
}

/** Returns names with the typed text somewhere behind the colon, else those that are spelt similarly. */
function alike(word: string, { known, namespaces }: Known): readonly string[] {
  const part = word.slice(word.indexOf(":") + 1).toLowerCase();
  const namespace = namespaceOf(word);
  const candidates = known.filter((name) => namespace === undefined || namespaceOf(name) === namespace);
  if (namespace !== undefined && !namespaces.includes(namespace))
    return inNearNamespace({ namespace, part }, { known, namespaces });
  const within =
    part === "" ? [] : candidates.filter((name) => afterColon(name).toLowerCase().includes(part));
  return within.length > 0 ? within : nearestWords(word, candidates);
}

/** Returns names in the namespaces that an unknown one begins, or is spelt like: those that begin so, else all. */
function inNearNamespace(
  { namespace, part }: { readonly namespace: string; readonly part: string },
  { known, namespaces }: Known,
): readonly string[] {
  const longer = namespaces.filter((each) => each.toLowerCase().startsWith(namespace.toLowerCase()));
  const meant = longer.length > 0 ? longer : nearestWords(namespace, namespaces);
  const begins = known.filter(
    (name) => meant.includes(namespaceOf(name) ?? "") && afterColon(name).toLowerCase().startsWith(part),
  );
  return part !== "" && begins.length > 0 ? begins : meant.map((each) => `${each}:`);
}

function afterColon(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Returns the common beginning of names, in the letters of the first. */
export function sharedStart(names: readonly string[]): string {
  const [first = "", ...rest] = names;
  // A name that is a namespace too is complete already: further text is a name in it.
  if (rest.length === 1 && rest[0] === `${first}:`) return `${first}:`;
  let end = first.length;
  for (const name of rest) {
    let at = 0;
    while (at < end && name[at]?.toLowerCase() === first[at]?.toLowerCase()) at += 1;
    end = at;
  }
  return first.slice(0, end);
}
