import type { Analysis, ShellCommand, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { ReadCheck, Use } from "../commands/grammar.ts";
import { CURRENT_DIRECTORY } from "../commands/grammar.ts";
import { rulesMatchedByGit } from "../inspection/git-objects.ts";
import { pathsInWord } from "../inspection/path-words.ts";
import { checkCommand, checkRedirection } from "../inspection/read-checks.ts";
import type { PathResolver } from "../inspection/resolve-word.ts";
import { resolveWord } from "../inspection/resolve-word.ts";
import type { RuleMatch } from "../judge/command-facts.ts";
import type { ReadRules } from "./read-rules.ts";
import { printRule } from "./rule.ts";

/** Limit for lines that are inspected part by part: rules concern such short lines. */
const PARTS_MAX = 32;
const WORDS_MAX = 512;

/**
 * Returns the rules about reading that a line may violate (PERM-02). It considers known reads of its commands, names
 * in the words of others, directories that they read whole, and content that git has stored.
 *
 * If a whole line is known to only read, and so may run unasked, every use is checked.
 */
export async function matchedRules(
  known: ReadCheck,
  analysis: Analysis,
  at: { readonly folders: readonly string[]; readonly resolver: PathResolver },
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  const { folders, resolver } = at;
  if (analysis.overLimit !== undefined) return [];
  const uses = known.kind === "reads" ? known.uses : usesOfParts(analysis);
  const matches = await Promise.all([
    matchesOfUses(uses, resolver, rules),
    rulesMatchedByGit(analysis, folders, resolver, rules),
    ...(known.kind === "reads" ? [] : [matchesOfWords(analysis, resolver, rules)]),
  ]);
  return matches.flat().sort((a, b) => rank(a) - rank(b));
}

/** Orders certain matches before possible ones, and deny rules before ask rules. */
function rank({ how, rule }: RuleMatch): number {
  return (rule.effect === "deny" ? 0 : 2) + (how === "reads" ? 0 : 1);
}

async function matchesOfUses(
  uses: readonly Use[],
  resolver: PathResolver,
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  const matches: RuleMatch[] = [];
  for (const use of uses) {
    if (use.kind === "repository") continue;
    const found = await resolveWord(use.word, use.directories, resolver);
    if (typeof found === "string") continue;
    const whole = use.deep === undefined ? undefined : "whole";
    for (const { path, spelled } of found) {
      const rule = rules.at(path, whole) ?? rules.at(spelled, whole);
      if (rule !== undefined) matches.push({ rule, how: "reads", stored: false, what: path });
      const inside = whole === undefined ? undefined : rules.below(path);
      if (inside !== undefined) matches.push({ rule: inside, how: "may read", stored: false, what: path });
    }
  }
  return matches;
}

function usesOfParts({ commands, redirections }: Analysis): readonly Use[] {
  if (commands.length + redirections.length > PARTS_MAX) return [];
  const known = [
    ...commands.map((part) => checkCommand(part, commands)),
    ...redirections.map(checkRedirection),
  ];
  return known.flatMap((each) => (each.kind === "unknown" ? [] : each.uses)).slice(0, WORDS_MAX);
}

/** Commands that read everything in the directories that they are given. */
const WHOLE =
  /^(?:tar|bsdtar|gtar|cp|rsync|scp|zip|7z|7za|cpio|pax|find|grep|egrep|fgrep|rg|ugrep|ag|ack|diff|mv|ln|docker|podman)$/;

/** For an unknown command, every word that leads to what a rule is about counts. */
async function matchesOfWords(
  { commands }: Analysis,
  resolver: PathResolver,
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  const matches: RuleMatch[] = [];
  const seen = new Set<string>();
  for (const command of commands) {
    if (command.wraps === "plain" || checkCommand(command, commands).kind === "reads") continue;
    const whole = isWhole(command);
    for (const word of [...(whole ? [CURRENT_DIRECTORY] : []), ...command.args].flatMap(pathsInWord)) {
      const key = `${command.directories?.join("\n")}\0${word.kind}\0${word.text}\0${whole}`;
      if (seen.has(key)) continue;
      // A line with so many words is asked about anyway: see `guardedWord`.
      if (seen.size === WORDS_MAX) return matches;
      seen.add(key);
      matches.push(...(await matchesOfWord(word, command, whole, resolver, rules)));
    }
  }
  return matches;
}

function isWhole({ name }: ShellCommand): boolean {
  const program = literalOf(name) ?? "";
  return WHOLE.test(program.slice(program.lastIndexOf("/") + 1));
}

async function matchesOfWord(
  word: ShellWord,
  { directories }: ShellCommand,
  whole: boolean,
  resolver: PathResolver,
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  const found = await resolveWord(word, directories ?? [""], resolver);
  if (typeof found === "string") return [];
  return found.flatMap(({ path, exists }): readonly RuleMatch[] => {
    const rule = rules.at(path, "whole") ?? (whole && exists ? rules.below(path) : undefined);
    return rule === undefined ? [] : [{ rule, how: "may read", stored: false, what: path }];
  });
}

/** Explains why a rule about reading denies a line or asks about it. */
export function ruleMatchText({ rule, how, stored, what }: RuleMatch): string {
  const name = `the rule ${rule.effect} "${printRule(rule)}"`;
  if (how === "reads")
    return stored
      ? `it reads ${what} out of git, which ${name} is about`
      : `it reads ${what}, which ${name} is about`;
  return stored
    ? `git may print files that it does not name, and ${name} is about some of them; name the files behind --`
    : `it may also read what ${name} is about`;
}
