import type { Rule } from "../../../session/guard/rule.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { CommandFacts } from "../judge/command-facts.ts";
import { isCommandPattern } from "./command-patterns.ts";
import { commandsWithoutRule, runsOtherPrograms } from "./command-rules.ts";
import { parseRule } from "./rule.ts";

/** Limit for the offered prefixes of one command; a person can type a longer one. */
export const PREFIXES_MAX = 8;

/** A command, as far as a rule by prefix depends on it. */
export interface PrefixedCommand {
  readonly tool: Pick<Tool, "name" | "effect">;
  readonly facts: CommandFacts;
  /** True if parts of the line that only read need no rule. */
  readonly quiet: boolean;
}

/**
 * Returns the rules by prefix that may be offered for a line, from the widest to the narrowest: the first words of each
 * command in it that needs a rule, and ` *` (PERM-11). The judge decides if they allow the line.
 *
 * The bare name of a program that runs what its arguments say is not offered: it would allow anything.
 */
export function offeredPrefixes(command: PrefixedCommand): readonly Rule[] {
  const words = commonWords(command);
  const [program = ""] = words;
  const least = runsOtherPrograms(program) ? 2 : 1;
  return words.slice(0, PREFIXES_MAX).flatMap((_, at) => {
    if (at + 1 < least) return [];
    return prefixRule(`${command.tool.name}:${words.slice(0, at + 1).join(" ")} *`, command) ?? [];
  });
}

/**
 * Reads a rule by prefix that a person has picked; undefined unless it is the first words of each command of the line
 * that needs a rule, as they stand, and ` *`. A `*` of the line itself would be wider than the word.
 */
export function prefixRule(text: string, command: PrefixedCommand): Rule | undefined {
  const { name: tool, effect } = command.tool;
  const parsed = parseRule({ effect: "allow", text }, "session", {
    of: (name) => (name === tool && effect !== undefined ? { effect } : undefined),
  });
  if (parsed.kind === "problem") return undefined;
  const { rule } = parsed;
  if (rule.tool !== tool || rule.match.kind !== "glob" || !isCommandPattern(rule.match.text))
    return undefined;
  const picked = rule.match.text.split(" ");
  const heads = picked.slice(0, -1);
  const words = commonWords(command);
  const isPrefix = picked.at(-1) === "*" && heads.length > 0 && heads.every((head, at) => head === words[at]);
  return isPrefix ? rule : undefined;
}

/** Returns the plain words with which all commands of a line begin that need a rule; none if it could not be read. */
function commonWords({ facts, quiet }: PrefixedCommand): readonly string[] {
  const { unsure, overLimit } = facts.analysis;
  if (unsure.length > 0 || overLimit !== undefined) return [];
  const [words = [], ...others] = commandsWithoutRule(facts, quiet).map(({ name, args }) => {
    const all = [name, ...args].map(literalOf);
    const end = all.findIndex((word) => word === undefined || word.includes("*"));
    return (end < 0 ? all : all.slice(0, end)).flatMap((word) => word ?? []);
  });
  const end = words.findIndex((word, at) => others.some((other) => other[at] !== word));
  return end < 0 ? words : words.slice(0, end);
}
