import { near } from "../../base/text/near.ts";
import { SLASH_COMMANDS } from "../../protocol/commands/own-commands.ts";
import { OWN_NAMES } from "../../protocol/commands/slash-commands.ts";
import type { SlashCommandInfo } from "../../protocol/resources.ts";
import type { CommandName } from "./slash.ts";
import { printCommand } from "./slash.ts";

/** What a client puts in the place of the word that is being typed, or lists for the person to choose from. */
export interface Completion {
  /** The longest text that every candidate begins with: at least what was typed, or what it was meant to be. */
  readonly text: string;
  /** With their slash, in the order of the list: one of them is what was meant. */
  readonly candidates: readonly string[];
}

/** The names that are the same in each session. One in capitals stands for any: `skills:NAME`. */
const COMMON = new Set<string>(SLASH_COMMANDS.map(({ name }) => name));
const PLACEHOLDER = /:[A-Z]+$/;
const CANDIDATES_MAX = 50;
const MEANT_MAX = 5;
/** What is put into a line, or on a terminal, has no character that acts, whoever's engine names it. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,255}$/u;

/**
 * Completes a slash command while its name is typed ([A] § Tab-completion contract): `/sk` becomes `/skills`, then
 * `/skills:`, and `/skills:pd` the skill that begins so, or those that are like it; `/` alone lists the names without a
 * namespace and the namespaces. Behind a name whose one word is a name too (`/mcp:restart SERVER`, beside `/mcp:SERVER`)
 * the word is completed. Undefined where there is nothing to complete: no slash, or what follows is anything else.
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
  const found = (begins.length > 0 ? begins : alike(word, { known, namespaces })).slice(0, CANDIDATES_MAX);
  const [only] = found;
  if (only === undefined) return { text: typed, candidates: [] };
  const shared = begins.length > 0 ? sharedStart(found) : found.length === 1 ? only : word;
  return { text: `/${shared}`, candidates: found.map((name) => `/${name}`) };
}

/** The few commands, each with its slash, that one that there is not was probably meant to be: each can be carried out. */
export function likeCommands(command: CommandName, commands: readonly SlashCommandInfo[]): readonly string[] {
  const like = completeSlash(printCommand(command), commands)?.candidates ?? [];
  const meant = like.flatMap((name) => (name.endsWith(":") ? namesIn(name, commands) : [name]));
  return [...new Set(meant)].slice(0, MEANT_MAX);
}

/** What is in a namespace, beside what it has in each session; where that is nothing, what lists it. */
function namesIn(namespace: string, commands: readonly SlashCommandInfo[]): readonly string[] {
  const all = commands.map(({ name }) => `/${name}`).filter((name) => name.startsWith(namespace));
  const own = all.filter((name) => NAME.test(name.slice(1)) && !COMMON.has(name.slice(1)));
  const alone = namespace.slice(1, -1);
  return own.length === 0 && OWN_NAMES.includes(alone) ? [`/${alone}`] : own;
}

function completeArgument(typed: string, commands: readonly SlashCommandInfo[]): Completion | undefined {
  const [, name = "", word = ""] = /^\/(\S+) +(\S*)$/.exec(typed) ?? [];
  const usage = commands.find((command) => command.name === name)?.usage ?? "";
  const placeholder = /^\S+ ([A-Z]+)$/.exec(usage)?.[1];
  const namespace = namespaceOf(name);
  if (placeholder === undefined || !COMMON.has(`${namespace}:${placeholder}`)) return undefined;
  const all = commands.map((command) => command.name).filter((each) => NAME.test(each) && !COMMON.has(each));
  const own = [...new Set(all.filter((each) => namespaceOf(each) === namespace).map(afterColon))];
  const found = own.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  const before = typed.slice(0, typed.length - word.length);
  return {
    text: before + (found.length === 0 ? word : sharedStart(found)),
    candidates: found.slice(0, CANDIDATES_MAX).map((each) => before + each),
  };
}

function isPlaceholder(name: string): boolean {
  return PLACEHOLDER.test(name) && COMMON.has(name);
}

/** Names that stand alone, and namespaces with the colon that their names follow. */
function tops(names: readonly string[], namespaces: readonly string[]): readonly string[] {
  return [...names.filter((name) => !name.includes(":")), ...namespaces.map((namespace) => `${namespace}:`)];
}

function namespaceOf(name: string): string | undefined {
  const colon = name.indexOf(":");
  return colon === -1 ? undefined : name.slice(0, colon);
}

interface Known {
  readonly known: readonly string[];
  /** Those too in which there is no name yet: `prompts`, before a person has written one. */
  readonly namespaces: readonly string[];
}

/** Those that have what was typed somewhere in the name behind the colon, else those that are spelt much like it. */
function alike(word: string, { known, namespaces }: Known): readonly string[] {
  const part = word.slice(word.indexOf(":") + 1).toLowerCase();
  const namespace = namespaceOf(word);
  const own = known.filter((name) => namespace === undefined || namespaceOf(name) === namespace);
  if (namespace !== undefined && !namespaces.includes(namespace))
    return inNearNamespace({ namespace, part }, { known, namespaces });
  const within = part === "" ? [] : own.filter((name) => afterColon(name).toLowerCase().includes(part));
  return within.length > 0 ? within : near(word, own);
}

/** In the namespaces that one that there is not begins, or is spelt much like: the names that begin so, else these. */
function inNearNamespace(
  { namespace, part }: { readonly namespace: string; readonly part: string },
  { known, namespaces }: Known,
): readonly string[] {
  const longer = namespaces.filter((each) => each.toLowerCase().startsWith(namespace.toLowerCase()));
  const meant = longer.length > 0 ? longer : near(namespace, namespaces);
  const begins = known.filter(
    (name) => meant.includes(namespaceOf(name) ?? "") && afterColon(name).toLowerCase().startsWith(part),
  );
  return part !== "" && begins.length > 0 ? begins : meant.map((each) => `${each}:`);
}

function afterColon(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function sharedStart(names: readonly string[]): string {
  const [first = "", ...rest] = names;
  // A name that is a namespace too stands by itself already: what is typed on is a name in it.
  if (rest.length === 1 && rest[0] === `${first}:`) return `${first}:`;
  let end = first.length;
  for (const name of rest) {
    let at = 0;
    while (at < end && name[at]?.toLowerCase() === first[at]?.toLowerCase()) at += 1;
    end = at;
  }
  return first.slice(0, end);
}
