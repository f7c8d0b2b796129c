import type { Rule } from "../../../session/guard/rule.ts";
import type { ShellCommand } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import { LAUNCHERS } from "../../../shell/wrappers/launchers.ts";
import type { CommandFacts } from "../judge/command-facts.ts";
import type { PatternMatch } from "./command-patterns.ts";
import {
  isCommandPattern,
  matchCommand,
  matchesPattern,
  mayContainPattern,
  visibleWords,
  wordsContainPattern,
} from "./command-patterns.ts";

/** Programs that read a program out of their arguments: the words of a pattern are searched in it. */
const INTERPRETERS =
  /^(?:python|pypy|node|nodejs|bun|deno|tsx|ts-node|perl|ruby|php|lua|tclsh|expect|osascript|awk|gawk|mawk|make|ssh|at|batch|crontab|fish|t?csh|pwsh|nu|npx|bunx|script|su|runuser|n?vim?|gdb)[\d.]*$/;
const SHELLS = /^(?:ba|da|z|k|a)?sh$|^(?:eval|source|\.)$/;
const SUFFIXES_MAX = 24;

/**
 * Checks whether a restricting pattern names one of the commands of a line: any of them, by any path, behind any
 * wrapper (S07, S09, S11).
 *
 * The words of the pattern are also searched anywhere in the text of a line that could not be parsed for sure. So
 * they are if the name of a command is known only when it runs.
 */
export function restrictsCommand(pattern: string, command: string, facts: CommandFacts): PatternMatch {
  const { analysis, programs } = facts;
  if (command === pattern) return "yes";
  const unread = analysis.overLimit !== undefined || analysis.unsure.length > 0;
  if (!isCommandPattern(pattern)) {
    // The script of a nested shell is spelled without the quotes around it.
    const isInside =
      command.includes(pattern) || analysis.commands.some(({ text }) => text.includes(pattern));
    return isInside ? "yes" : "no";
  }
  let bestMatch: PatternMatch = unread ? "maybe" : "no";
  if (unread && wordsContainPattern(textWords(facts, command), pattern)) return "yes";
  for (const each of analysis.commands) {
    const one = commandHeld(each, pattern, programs);
    if (one === "yes") return "yes";
    if (one === "maybe") {
      if (literalOf(each.name) === undefined && wordsContainPattern(textWords(facts, command), pattern))
        return "yes";
      bestMatch = "maybe";
    }
  }
  return bestMatch;
}

const wordsOfLines = new WeakMap<CommandFacts, readonly string[]>();

/** Computed once, whatever the number of rules. */
function textWords(facts: CommandFacts, command: string): readonly string[] {
  let words = wordsOfLines.get(facts);
  if (words === undefined) {
    words = visibleWords(command);
    wordsOfLines.set(facts, words);
  }
  return words;
}

function commandHeld(
  { name, args, assignments }: ShellCommand,
  pattern: string,
  programs: CommandFacts["programs"],
): PatternMatch {
  if (name === undefined) return "no";
  const program = literalOf(name);
  const words = args.map(literalOf);
  const ownMatch = matchCommand(program, words, pattern);
  if (ownMatch !== "no" || program === undefined) return ownMatch;
  const linked = programs.get(program);
  if (linked !== undefined && linked !== program) {
    const behind = matchCommand(linked, words, pattern);
    if (behind !== "no") return behind;
  }
  const called = program.slice(program.lastIndexOf("/") + 1);
  if (
    INTERPRETERS.test(called) &&
    args.some(
      ({ text }) =>
        mayContainPattern(text, pattern) || mayContainPattern(text.replace(/^--[\w-]+=/, ""), pattern),
    )
  )
    return "yes";
  if (
    LAUNCHERS.has(called) &&
    words
      .slice(0, SUFFIXES_MAX)
      .some((word, at) => word !== undefined && matchCommand(word, words.slice(at + 1), pattern) === "yes")
  )
    return "yes";
  // A later command may run the value of a variable: `GIT_EDITOR='rm -rf' git commit`.
  return assignments.some(({ value }) => mayContainPattern(value.text, pattern)) ? "maybe" : "no";
}

/**
 * Returns the rules by which allow rules cover a whole line: each command and redirection is covered by one of them
 * or is known to only read (PERM-11). Undefined if they do not cover it.
 */
export function coveringRules(
  rules: readonly Rule[],
  facts: CommandFacts,
  withQuiet: boolean,
): readonly Rule[] | undefined {
  const { commands, redirections, structure, unsure, overLimit } = facts.analysis;
  if (overLimit !== undefined || unsure.length > 0 || structure.problem !== undefined) return undefined;
  if (!redirections.every((part) => withQuiet && facts.readOnlyParts.has(part))) return undefined;
  const open = new Set(commandsWithoutRule(facts, withQuiet));
  const taken: Rule[] = [];
  for (const command of commands) {
    const rule = rules.find(({ match }) => match.kind === "glob" && commandFallsUnder(command, match.text));
    if (rule !== undefined) taken.push(rule);
    else if (open.has(command)) return undefined;
  }
  return taken.length === 0 ? undefined : taken;
}

/** Returns the commands of a line that need an allow rule: those that do not only start another one, or read. */
export function commandsWithoutRule(
  { analysis: { commands }, readOnlyParts }: CommandFacts,
  withQuiet: boolean,
): readonly ShellCommand[] {
  return commands.filter((command) => !isPlainWrapper(command) && !(withQuiet && readOnlyParts.has(command)));
}

/** Returns true for a program that runs what its arguments say: a rule for its bare name would allow anything. */
export function runsOtherPrograms(name: string): boolean {
  const called = name.slice(name.lastIndexOf("/") + 1);
  return INTERPRETERS.test(called) || SHELLS.test(called) || LAUNCHERS.has(called);
}

/** Returns true if it starts the next command unchanged; that command needs its own rule. */
function isPlainWrapper({ name, args, wraps }: ShellCommand): boolean {
  return wraps === "plain" && [name, ...args].every((word) => literalOf(word) !== undefined);
}

/** A command that a wrapper starts is separate, and needs its own rule. */
function commandFallsUnder({ name, args, assignments }: ShellCommand, pattern: string): boolean {
  if (assignments.length > 0 || name === undefined) return false;
  const words = [name, ...args].map(literalOf);
  return words.every((word) => word !== undefined) && matchesPattern(words, pattern);
}
