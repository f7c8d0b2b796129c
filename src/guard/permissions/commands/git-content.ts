import { posix } from "node:path";
import type { Directories, ShellCommand, ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { Subcommand } from "./git-table.ts";
import { NESTED_SUBCOMMANDS, SUBCOMMANDS } from "./git-table.ts";
import type { ParsedFlags } from "./grammar.ts";
import { parseFlags } from "./grammar.ts";

/** Content of a repository's files, current or past, that one git command may print or write elsewhere. */
export interface GitContent {
  readonly directories: Directories;
  /** Words that may be names of files: relative to the root of the repository, or to the working directory. */
  readonly names: readonly string[];
  /** `nothing`: no content. `anything`: also that of files that it does not name. */
  readonly shows: "nothing" | "anything" | GitSelection;
}

/** Restriction of a command to some files; without one, it is about all of them. */
export interface GitSelection {
  /** Words after `--`, magic and patterns included. */
  readonly pathspecs: readonly string[];
  /** Words that git takes for paths if such files exist, and otherwise for revisions. */
  readonly either: readonly string[];
  /** True if such a revision can only be a commit. Otherwise it may name the content of any file. */
  readonly commits: boolean;
}

/** Subcommands that print no content of files, or only write it to the working tree or the object store. */
const SILENT = new Set(
  "add am apply bisect branch cherry-pick clean commit config count-objects describe fetch for-each-ref fsck gc help init maintenance merge merge-base mv name-rev notes prune pull push rebase remote reset restore revert rm shortlog show-ref sparse-checkout stash status submodule switch symbolic-ref tag version checkout check-attr check-ignore worktree".split(
    " ",
  ),
);
/** Matches a repository of this machine: files brought from or to it may be files here. */
const LOCAL_PLACE = /^(?:[./~]|file:)/;
/** Words with which a silent subcommand prints changes after all, or copies everything. */
const PRINTING_WORDS: Readonly<Record<string, RegExp | undefined>> = {
  fetch: LOCAL_PLACE,
  pull: LOCAL_PLACE,
  push: LOCAL_PLACE,
  remote: LOCAL_PLACE,
  add: /^(?:-[a-zA-Z]*[pie]|--p|--in|--ed)/,
  commit: /^(?:-[a-zA-Z]*[pv]|--p|--verb|--int)/,
  checkout: /^(?:-p|--pat)/,
  reset: /^(?:-p|--pat)/,
  restore: /^(?:-p|--pat)/,
  stash: /^(?:show|-p|--pat|push.*-p)/,
  status: /^(?:-(?!u)[a-z]*v|--verb)/,
  submodule: /^(?:foreach|summary|[./~]|file:)/,
  worktree: /^add/,
  rebase: /^(?:-x|--ex)/,
  bisect: /^run/,
  am: /^--sh/,
  config: /^(?:-[a-zA-Z]*[fe]|--fi|--bl|--ed)/,
  "for-each-ref": /raw|contents/,
  branch: /raw|contents/,
  tag: /raw|contents/,
};
/** Subcommands that print names and ids only. */
const NAMING = new Set(["rev-parse", "rev-list", "ls-tree", "ls-files"]);
const PATCHES = [
  ..."-p -u -U -c -m -W -L --patch --cc --unified --patch-with-stat --binary --function-context".split(" "),
  ..."--word-diff --word-diff-regex --color-words --check".split(" "),
];
const SUMMARIES =
  "-s --no-patch --stat --numstat --shortstat --summary --name-only --name-status --raw --quiet --dirstat --compact-summary".split(
    " ",
  );
/** Subcommands that show a patch only with a flag. */
const PATCH_ON_DEMAND = new Set(["log", "whatchanged", "reflog", "diff-tree", "diff-index", "diff-files"]);
const HARMLESS_SETTING = /^(?:color|advice|column|user|core\.(?:pager|quotepath)|pager)(?:[.=]|$)/i;
/** Subcommands that take only commits as revisions. */
const COMMITS_ONLY = new Set(["log", "whatchanged", "blame"]);
/** A commit for certain, whatever references exist: neither a file nor a folder of a commit has such a name. */
const COMMIT = /^(?:HEAD|@)(?:[~^]\d*)*$/;
const RANGE = /^[^:]+\.\.[^:]*$|^\.\.[^:]+$/;

/**
 * Returns the content that a git command may show; undefined for another program, or if it shows none. `elsewhere`:
 * see `setsGitDirectory`.
 */
export function gitContent(
  { name, args, directories }: ShellCommand,
  elsewhere: boolean,
): GitContent | undefined {
  const program = literalOf(name);
  const called = program?.slice(program.lastIndexOf("/") + 1);
  const direct = /^git(?:-([a-z-]+))?$/.exec(called ?? "");
  if (direct === null) return undefined;
  if (args.length > WORDS_MAX) return { directories, names: [], shows: "anything" };
  const { rest, at, sure } =
    direct[1] === undefined ? globals(args, directories) : { rest: args, at: directories, sure: true };
  const subcommand = direct[1] ?? literalOf(rest[0]);
  const words = direct[1] === undefined ? rest.slice(1) : rest;
  if (subcommand === undefined) return rest.length === 0 ? undefined : unread(rest, at);
  // With another repository or working tree, even these bring files to where no rule covers them.
  if (sure && !elsewhere && isSilent(subcommand, words)) return undefined;
  const [known, subcommandArgs] = knowledge(subcommand, words);
  const read = known === undefined ? undefined : parseFlags(known.flags, subcommandArgs);
  if (read === undefined || typeof read === "string" || !sure)
    return NAMING.has(subcommand)
      ? { directories: at, names: namesIn(words), shows: "nothing" }
      : unread(words, at);
  const texts = subcommand === "grep" && !read.flags.has("-e") ? 1 : 0;
  const operands = read.operands.slice(texts);
  const lines = read.values.filter(({ flag }) => flag === "-L").map(({ word }) => word);
  return {
    directories: at,
    names: namesIn([...operands, ...lines]),
    shows: NAMING.has(subcommand) ? "nothing" : shown(subcommand, read, operands),
  };
}

const PLACE = /^GIT_(?:\w*DIR|\w*DIRECTORY|\w*DIRECTORIES|WORK_TREE|INDEX_FILE|CONFIG\w*|NAMESPACE)(?:=|$)/;

/**
 * Returns true if a line may point git, by a variable, to another repository or working tree than that of
 * its directory.
 */
export function setsGitDirectory({ assignments, args }: ShellCommand): boolean {
  return assignments.some(({ name }) => PLACE.test(name)) || args.some(({ text }) => PLACE.test(text));
}

function unread(words: readonly ShellWord[], directories: Directories): GitContent {
  return { directories, names: namesIn(words), shows: "anything" };
}

function globals(args: readonly ShellWord[], before: Directories) {
  let at = before;
  let sure = true;
  for (let index = 0; index < args.length; index++) {
    const text = literalOf(args[index]);
    if (text === "-C") {
      const path = literalOf(args[++index]);
      at =
        path === undefined
          ? undefined
          : at?.map((each) => (path.startsWith("/") ? path : posix.join(each, path)));
    } else if (text === "-c") sure &&= HARMLESS_SETTING.test(literalOf(args[++index]) ?? "");
    else if (/^--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path)$/.test(text ?? "")) {
      sure = false;
      index++;
    } else if (text?.startsWith("-") === true) sure &&= /^(?:-P|--no-pager|--no-optional-locks)$/.test(text);
    else return { rest: args.slice(index), at, sure };
  }
  return { rest: [], at, sure };
}

function isSilent(subcommand: string, words: readonly ShellWord[]): boolean {
  // Content brought from elsewhere is not content of files here.
  if (subcommand === "clone")
    return words.some((word) => /^(?:https?:|ssh:|git[@:])/.test(literalOf(word) ?? ""));
  if (!SILENT.has(subcommand)) return false;
  const loud = PRINTING_WORDS[subcommand];
  return loud === undefined || !words.some((word) => loud.test(literalOf(word) ?? ""));
}

function knowledge(
  name: string,
  words: readonly ShellWord[],
): readonly [Subcommand | undefined, readonly ShellWord[]] {
  const second = literalOf(words[0]) ?? "";
  const nested = Object.hasOwn(NESTED_SUBCOMMANDS, name) ? NESTED_SUBCOMMANDS[name] : undefined;
  const inner = nested !== undefined && Object.hasOwn(nested, second) ? nested[second] : undefined;
  if (inner !== undefined) return [inner, words.slice(1)];
  return [Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined, words];
}

function shown(
  subcommand: string,
  { flags, behindDashes }: ParsedFlags,
  operands: readonly ShellWord[],
): GitContent["shows"] {
  const named = Math.max(0, operands.length - behindDashes);
  const behind = operands.slice(named);
  const before = operands.slice(0, named);
  const revisions = allKnown(before.map(literalOf));
  const pathspecs = allKnown(behind.map((word) => (word.kind === "glob" ? word.pattern : literalOf(word))));
  const isPatch = PATCHES.some((flag) => flags.has(flag));
  const isSummary = SUMMARIES.some((flag) => flags.has(flag));
  if (PATCH_ON_DEMAND.has(subcommand) && !isPatch) return "nothing";
  if (subcommand === "stash") return isPatch ? "anything" : "nothing";
  if (revisions === undefined || pathspecs === undefined || flags.has("--follow")) return "anything";
  const objects = revisions.flatMap(pathOfObject);
  if (objects.length > 0) {
    // After a folder of a commit, paths are relative to it.
    if (objects.length < revisions.length || behindDashes > 0) return "anything";
    return subcommand === "cat-file" ? "nothing" : { pathspecs: objects, either: [], commits: true };
  }
  const either = revisions.filter((word) => !COMMIT.test(word) && !RANGE.test(word));
  if (subcommand === "cat-file") return either.length > (flags.has("-p") ? 0 : 1) ? "anything" : "nothing";
  if (isSummary && !isPatch && (subcommand === "diff" || either.length === 0)) return "nothing";
  const commits = COMMITS_ONLY.has(subcommand);
  if (behindDashes > 0 && either.length > 0 && !commits) return "anything";
  return { pathspecs, either: behindDashes > 0 ? [] : either, commits };
}

/** Returns undefined if one of the words is known only when it runs. */
function allKnown(words: readonly (string | undefined)[]): readonly string[] | undefined {
  return words.includes(undefined) ? undefined : words.filter((word) => word !== undefined);
}

/** Returns the pathspec of what `HEAD:path`, `:path`, `:1:path` name; none for any other word. */
function pathOfObject(word: string): readonly string[] {
  if (/^:[/(!^]/.test(word)) return [];
  const path = /^(?:[^:{]|\{[^}]*\})*:(?:[0-3]:)?(.*)$/s.exec(word)?.[1];
  if (path === undefined) return [];
  return [/^\.\.?(?:\/|$)/.test(path) ? `:(literal)${path}` : `:(top,literal)${path}`];
}

/** Limit for words that are checked one by one; with more, any file may be named. */
const WORDS_MAX = 1_024;
const COLONS_MAX = 8;
const LEFT_OUT = /^:(?:\/*[!^]|\([^)]*exclude)/;

/**
 * Returns each word, what follows a `=` in it, and what follows each colon: `rev:path`, `-L1,5:path`, `:(magic)path`.
 */
function namesIn(words: readonly ShellWord[]): readonly string[] {
  const names = new Set<string>();
  for (const word of words) {
    if (word.kind !== "known" || LEFT_OUT.test(word.value)) continue;
    const { value } = word;
    names.add(value);
    const marks = [...value.matchAll(/[:=]/g)].slice(0, COLONS_MAX);
    for (const { index } of marks) names.add(value.slice(index + 1).replace(/^(?:\([^)]*\)|\/)/, ""));
  }
  names.delete("");
  return [...names];
}
