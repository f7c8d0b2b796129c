import type { Analysis, ShellCommand, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { Known, Use } from "../commands/grammar.ts";
import { HERE } from "../commands/grammar.ts";
import { metByGit } from "../inspection/git-objects.ts";
import { pathsIn } from "../inspection/path-words.ts";
import { knownCommand, knownRedirection } from "../inspection/reading.ts";
import type { Ground } from "../inspection/resolve.ts";
import { follow } from "../inspection/resolve.ts";
import type { Met } from "../judge/facts.ts";
import type { ReadRules } from "./read-rules.ts";
import { printRule } from "./rule.ts";

/** Limit for lines that are inspected part by part: rules concern such short lines. */
const PARTS_MAX = 32;
const WORDS_MAX = 512;

/**
 * Returns the rules about reading that a line may violate (PERM-02): by what its commands are known to read, by names
 * in the words of the others, by what lies below a directory that they read whole, and by what git has stored.
 *
 * If a whole line is known to only read, and so may run unasked, every use is checked.
 */
export async function metRules(
  known: Known,
  analysis: Analysis,
  at: { readonly root: string; readonly ground: Ground },
  rules: ReadRules,
): Promise<readonly Met[]> {
  const { root, ground } = at;
  if (analysis.overLimit !== undefined) return [];
  const uses = known.kind === "reads" ? known.uses : usesOfParts(analysis);
  const met = await Promise.all([
    metByUses(uses, ground, rules),
    metByGit(analysis, root, ground, rules),
    ...(known.kind === "reads" ? [] : [metByWords(analysis, ground, rules)]),
  ]);
  return met.flat().sort((a, b) => rank(a) - rank(b));
}

/** Orders certain matches before possible ones, and deny rules before ask rules. */
function rank({ how, rule }: Met): number {
  return (rule.effect === "deny" ? 0 : 2) + (how === "reads" ? 0 : 1);
}

async function metByUses(uses: readonly Use[], ground: Ground, rules: ReadRules): Promise<readonly Met[]> {
  const met: Met[] = [];
  for (const use of uses) {
    if (use.kind === "repository") continue;
    const found = await follow(use.word, use.directories, ground);
    if (typeof found === "string") continue;
    const whole = use.deep === undefined ? undefined : "whole";
    for (const { path, spelled } of found) {
      const rule = rules.at(path, whole) ?? rules.at(spelled, whole);
      if (rule !== undefined) met.push({ rule, how: "reads", stored: false, what: path });
      const inside = whole === undefined ? undefined : rules.below(path);
      if (inside !== undefined) met.push({ rule: inside, how: "may read", stored: false, what: path });
    }
  }
  return met;
}

function usesOfParts({ commands, redirections }: Analysis): readonly Use[] {
  if (commands.length + redirections.length > PARTS_MAX) return [];
  const known = [
    ...commands.map((part) => knownCommand(part, commands)),
    ...redirections.map(knownRedirection),
  ];
  return known.flatMap((each) => (each.kind === "unknown" ? [] : each.uses)).slice(0, WORDS_MAX);
}

/** Commands that read everything in the directories that they are given. */
const WHOLE =
  /^(?:tar|bsdtar|gtar|cp|rsync|scp|zip|7z|7za|cpio|pax|find|grep|egrep|fgrep|rg|ugrep|ag|ack|diff|mv|ln|docker|podman)$/;

/** For an unknown command, every word that leads to what a rule is about counts. */
async function metByWords({ commands }: Analysis, ground: Ground, rules: ReadRules): Promise<readonly Met[]> {
  const met: Met[] = [];
  const seen = new Set<string>();
  for (const command of commands) {
    if (command.wraps === "plain" || knownCommand(command, commands).kind === "reads") continue;
    const whole = isWhole(command);
    for (const word of [...(whole ? [HERE] : []), ...command.args].flatMap(pathsIn)) {
      const key = `${command.directories?.join("\n")}\0${word.kind}\0${word.text}\0${whole}`;
      if (seen.has(key)) continue;
      if (seen.size === WORDS_MAX) return met; // a line with so many words is asked about anyway: see `guardedWord`
      seen.add(key);
      met.push(...(await metByWord(word, command, whole, ground, rules)));
    }
  }
  return met;
}

function isWhole({ name }: ShellCommand): boolean {
  const program = literalOf(name) ?? "";
  return WHOLE.test(program.slice(program.lastIndexOf("/") + 1));
}

async function metByWord(
  word: ShellWord,
  { directories }: ShellCommand,
  whole: boolean,
  ground: Ground,
  rules: ReadRules,
): Promise<readonly Met[]> {
  const found = await follow(word, directories ?? [""], ground);
  if (typeof found === "string") return [];
  return found.flatMap(({ path, exists }): readonly Met[] => {
    const rule = rules.at(path, "whole") ?? (whole && exists ? rules.below(path) : undefined);
    return rule === undefined ? [] : [{ rule, how: "may read", stored: false, what: path }];
  });
}

/** Explains why a rule about reading denies a line or asks about it. */
export function metText({ rule, how, stored, what }: Met): string {
  const name = `the rule ${rule.effect} "${printRule(rule)}"`;
  if (how === "reads")
    return stored
      ? `it reads ${what} out of git, which ${name} is about`
      : `it reads ${what}, which ${name} is about`;
  return stored
    ? `git may print files that it does not name, and ${name} is about some of them; name the files behind --`
    : `it may also read what ${name} is about`;
}
