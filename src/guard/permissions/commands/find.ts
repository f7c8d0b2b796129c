import type { ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { CheckRead, ReadCheck, TreeSearch, Use } from "./grammar.ts";
import { CURRENT_DIRECTORY, knownRead, notKnown } from "./grammar.ts";

const ALONE = new Set(
  "-a -and -o -or -not ! ( ) , -true -false -print -print0 -ls -prune -quit -depth -d -empty -readable -writable -executable -nouser -nogroup -mount -xdev -daystart -noleaf -warn -nowarn -ignore_readdir_race -P -H -E -x".split(
    " ",
  ),
);
const VALUES = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -newermt -newerat -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -fstype -lname -ilname -printf -used".split(
    " ",
  ),
);
const PATHS = new Set("-newer -anewer -cnewer -samefile".split(" "));

/** Endings of names that no file with a key has, even if they begin with a dot. */
export const SOURCE_FILES =
  /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|[ch]|cc|cpp|hpp|rb|php|cs|swift|scala|md|mdx|rst|txt|css|scss|html|vue|svelte|sql|sh|toml|xml|ya?ml|json|lock|proto)$/;

interface Expression {
  readonly roots: readonly ShellWord[];
  readonly primaries: readonly Primary[];
  readonly uses: readonly Use[];
}

/** A test, an action or an operator, with its value, which may look like any of them. */
interface Primary {
  readonly name: string;
  readonly value?: string;
}

/** Checks `find`: known if it consists of tests and printing actions, or ends in `-exec grep -l WORD {} \;`. */
export function checkFind({ args, directories }: Parameters<CheckRead>[0]): ReadCheck {
  const at = args.findIndex((word) => literalOf(word) === "-exec");
  const starts = at === -1 ? undefined : args.slice(at + 1);
  const read = readExpression(at === -1 ? args : args.slice(0, at), directories);
  if (typeof read === "string") return notKnown(read);
  if (starts === undefined) return knownRead(read.uses);
  if (read.roots.some((word) => literalOf(word) === undefined))
    return notKnown("a search below a pattern, which starts grep");
  if (!isListing(starts.slice(0, 3)) || !/^\{\} ;$/.test(starts.slice(3).map(literalOf).join(" ")))
    return notKnown("-exec of find with more than grep -l WORD {} \\;");
  return knownRead([...read.uses, ...foundUses(read.roots, branchesOf(read.primaries), directories, {})]);
}

/** Checks `xargs grep -l WORD` directly after a search: only file names are printed. */
export function checkXargs({ args, writers }: Parameters<CheckRead>[0]): ReadCheck {
  const [search] = writers;
  if (search === undefined || literalOf(search.name) !== "find")
    return notKnown("xargs takes its arguments from what it reads");
  if (!isListing(args)) return notKnown("xargs with more than grep -l WORD");
  const read = readExpression(search.args, search.directories);
  if (typeof read === "string") return notKnown(read);
  if (read.roots.some((word) => literalOf(word) === undefined))
    return notKnown("xargs behind a search below a pattern");
  const split = read.roots.find((word) => /[\s'"\\]/.test(literalOf(word) ?? ""));
  if (split !== undefined) return notKnown(`xargs splits the name ${split.text}`);
  if (read.primaries.some(({ name }) => /^-(?:print0|printf|ls|exec)$/.test(name)))
    return notKnown("xargs behind a search that prints more than names");
  return knownRead(foundUses(read.roots, printingOf(read.primaries), search.directories, { names: true }));
}

/** Returns true for exactly `grep -l WORD`. */
function isListing(words: readonly ShellWord[]): boolean {
  const [program, flag, pattern, ...more] = words.map(literalOf);
  return program === "grep" && flag === "-l" && pattern?.startsWith("-") === false && more.length === 0;
}

type Branch = readonly Primary[];

/** Returns the uses of found files, which are opened: none may be a key or lie outside. */
function foundUses(
  roots: readonly ShellWord[],
  branches: readonly Branch[],
  directories: Use["directories"],
  look: TreeSearch,
): readonly Use[] {
  const checkedFor: TreeSearch = {
    ...look,
    keys: branches.every(findsSources) ? "sources" : "all",
    ...(branches.every(findsFiles) ? {} : { links: true }),
  };
  return roots.map((word) => ({ kind: "path", word, directories, deep: "all", checkedFor }));
}

/** Returns the alternatives of an expression; a single unnamed one if it is not plain. */
function branchesOf(primaries: readonly Primary[]): readonly Branch[] {
  if (primaries.some(({ name }) => /^(?:[!(),]|-not)$/.test(name))) return [[]];
  const branches: Primary[][] = [[]];
  for (const primary of primaries) {
    if (/^-or?$/.test(primary.name)) branches.push([]);
    else branches.at(-1)?.push(primary);
  }
  return branches;
}

/**
 * Returns the alternatives that print, each up to there: if one has `-print`, those that only prune print nothing.
 */
function printingOf(primaries: readonly Primary[]): readonly Branch[] {
  const branches = branchesOf(primaries);
  if (!primaries.some(({ name }) => name === "-print")) return branches;
  return branches.flatMap((branch) => {
    const at = branch.findIndex(({ name }) => name === "-print");
    if (at === -1) return branch.some(({ name }) => name === "-prune") ? [] : [branch];
    return [branch.slice(0, at)];
  });
}

function findsSources(branch: Branch): boolean {
  return branch.some(({ name, value = "" }) => /^-i?name$/.test(name) && SOURCE_FILES.test(value));
}

function findsFiles(branch: Branch): boolean {
  return branch.some(({ name, value }) => name === "-type" && value === "f");
}

function readExpression(args: readonly ShellWord[], directories: Use["directories"]): Expression | string {
  const roots: ShellWord[] = [];
  const primaries: Primary[] = [];
  const others: Use[] = [];
  let inExpression = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (word === undefined) break;
    const text = literalOf(word);
    const isExpression = text !== undefined && /^(?:-.|[(),!]$)/.test(text);
    if (!inExpression && !isExpression) {
      if (word.kind === "glob" && /^\\?[-(),!]/.test(word.pattern)) return `${word.text} of find`;
      roots.push(word);
      continue;
    }
    if (text === undefined) return `${word.text} is only known when it runs`;
    inExpression ||= !/^-[PH]$/.test(text);
    if (ALONE.has(text)) {
      primaries.push({ name: text });
      continue;
    }
    const value = args[at + 1];
    const valueText = literalOf(value);
    if (value === undefined) return `${text} of find`;
    if (VALUES.has(text) && valueText !== undefined) primaries.push({ name: text, value: valueText });
    else if (PATHS.has(text)) others.push({ kind: "path", word: value, directories });
    else return `${text} of find`;
    at++;
  }
  const from = roots.length === 0 ? [CURRENT_DIRECTORY] : roots;
  const uses = from.map((word): Use => ({ kind: "path", word, directories }));
  return { roots: from, primaries, uses: [...uses, ...others] };
}
