import { dirname, join } from "node:path";
import type { Files } from "../../../base/world.ts";
import type { Analysis } from "../../../shell/analysis.ts";
import type { GitContent, GitSelection } from "../commands/git-content.ts";
import { gitContent, setsGitDirectory } from "../commands/git-content.ts";
import type { RuleMatch } from "../judge/command-facts.ts";
import { matchesStars } from "../rules/command-patterns.ts";
import type { ReadRules } from "../rules/read-rules.ts";
import type { PathResolver } from "./resolve-word.ts";
import { resolveWord } from "./resolve-word.ts";

/** Limit for commands that are checked one by one; with more, anything may be read. */
const COMMANDS_MAX = 32;
const NAMES_MAX = 256;

/**
 * Returns the rules about reading files that a line may bypass by reading what git stores of the files (PERM-02).
 *
 * git prints files of any commit by name, and files that nobody named. No sandbox prevents that: it hides the files,
 * but not what git has stored of them.
 */
export async function rulesMatchedByGit(
  { commands }: Analysis,
  folders: readonly string[],
  resolver: PathResolver,
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  const contents: GitContent[] = [];
  const elsewhere = commands.some(setsGitDirectory);
  for (const command of commands) {
    const content = gitContent(command, elsewhere);
    if (content !== undefined) contents.push(content);
    if (contents.length > COMMANDS_MAX) break;
  }
  if (contents.length === 0) return [];
  const workspaces = await Promise.all(
    folders.map(async (directory) => ({ directory, top: await topOf(directory, resolver.files) })),
  );
  const names = contents.reduce((sum, content) => sum + content.names.length, 0);
  const matches: RuleMatch[] = [];
  if (contents.length > COMMANDS_MAX || names > NAMES_MAX)
    matches.push(...workspaces.flatMap(({ top }) => matchesBelow(top, rules)));
  let remainingNames = NAMES_MAX;
  for (const content of contents.slice(0, COMMANDS_MAX)) {
    const looked = { ...content, names: content.names.slice(0, remainingNames) };
    remainingNames -= looked.names.length;
    for (const directory of await directoriesOf(content, resolver)) {
      const top = await topOf(directory, resolver.files);
      const at = { directory, top };
      matches.push(...(await matchesAt(looked, at, resolver, rules)));
      // Another copy of the repository, or another working tree, has the same files under other paths.
      for (const workspace of workspaces)
        if (top !== workspace.top) matches.push(...(await matchesAt(looked, workspace, resolver, rules)));
    }
  }
  return matches;
}

async function directoriesOf(
  { directories }: GitContent,
  resolver: PathResolver,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const directory of directories ?? [""]) {
    const here = await resolveWord(known(directory === "" ? "." : directory), [""], resolver);
    found.push(...(typeof here === "string" ? [resolver.cwd] : here.map(({ path }) => path)));
  }
  return found;
}

function known(value: string) {
  return { kind: "known", text: value, value, home: value.startsWith("~") } as const;
}

interface At {
  /** Working directory of git. */
  readonly directory: string;
  /** Root of the repository. */
  readonly top: string;
}

async function matchesAt(
  { names, shows }: GitContent,
  at: At,
  resolver: PathResolver,
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  const matches: RuleMatch[] = [];
  for (const name of names) {
    for (const base of new Set([at.directory, at.top])) {
      const rule = rules.at(name.startsWith("/") ? name : join(base, name), "whole");
      if (rule !== undefined) matches.push({ rule, how: "reads", stored: true, what: name });
    }
  }
  if (shows === "nothing") return matches;
  return [
    ...matches,
    ...(shows === "anything" ? matchesBelow(at.top, rules) : await selected(shows, at, resolver, rules)),
  ];
}

/** Returns matches for all that git may print of what lies below a directory. */
function matchesBelow(
  directory: string,
  rules: ReadRules,
  leftOut: readonly string[] = [],
): readonly RuleMatch[] {
  const rule = rules.at(directory, "whole") ?? rules.below(directory, leftOut);
  return rule === undefined ? [] : [{ rule, how: "may read", stored: true, what: directory }];
}

async function selected(
  { pathspecs, either, commits }: GitSelection,
  at: At,
  resolver: PathResolver,
  rules: ReadRules,
): Promise<readonly RuleMatch[]> {
  if (pathspecs.length + either.length > NAMES_MAX) return matchesBelow(at.top, rules);
  const specs: (Pathspec | undefined)[] = pathspecs.map((text) => pathspecOf(text, at));
  for (const word of either) {
    const found = await resolveWord(known(word), [at.directory], resolver);
    const there = typeof found !== "string" && found.every(({ exists }) => exists);
    if (there) specs.push({ path: join(at.directory, word), patterns: undefined, leftOut: false });
    else if (!commits) return matchesBelow(at.top, rules);
  }
  if (specs.includes(undefined)) return matchesBelow(at.top, rules);
  const read = specs.filter((spec) => spec !== undefined);
  const leftOut = read.filter((spec) => spec.leftOut && spec.patterns === undefined).map(({ path }) => path);
  const taken = read.filter((spec) => !spec.leftOut);
  if (taken.length === 0) return matchesBelow(at.top, rules, leftOut);
  for (const { path, patterns = [] } of taken) {
    const named =
      rules.at(path, "whole") ??
      rules.naming((each) => patterns.some((pattern) => matchesStars(each.toLowerCase(), pattern)));
    if (named !== undefined) return [{ rule: named, how: "reads", stored: true, what: path }];
    const open = matchesBelow(path, rules, leftOut);
    if (open.length > 0) return open;
  }
  return [];
}

interface Pathspec {
  /** Absolute; for a pattern, the folder in which it starts. */
  readonly path: string;
  readonly patterns: readonly string[] | undefined;
  readonly leftOut: boolean;
}

/** Returns undefined for a pathspec with unknown magic. */
function pathspecOf(text: string, { directory, top }: At): Pathspec | undefined {
  const long = /^:\(([a-z,]*)\)(.*)$/s.exec(text);
  const short = /^:([/!^]+):?(.*)$/s.exec(text);
  if (text.startsWith(":") && long === null && short === null) return undefined;
  const magic = long?.[1]?.split(",") ?? [];
  if (magic.some((word) => !/^(?:top|exclude|literal|glob|icase|)$/.test(word))) return undefined;
  const leftOut = magic.includes("exclude") || /[!^]/.test(short?.[1] ?? "");
  const base = magic.includes("top") || short?.[1]?.includes("/") === true ? top : directory;
  const rest = long?.[2] ?? short?.[2] ?? text;
  const path = leftOut ? rest.replace(/\/\*{1,2}$/, "") : rest;
  const special = magic.includes("literal") ? -1 : path.search(/[*?[\\]/);
  if (special === -1)
    return { path: path.startsWith("/") ? path : join(base, path), patterns: undefined, leftOut };
  const start = join(base, path.slice(0, path.lastIndexOf("/", special) + 1));
  return { path: start, patterns: patternsOf(path, base), leftOut };
}

/**
 * Returns patterns that match at least what git's do: a star matches slashes too, and so do `?` and classes here.
 * Includes each folder that the pattern leads through. Parts that consist of stars select nothing.
 */
function patternsOf(text: string, base: string): readonly string[] | undefined {
  if (/^[*/]+$/.test(text)) return undefined;
  const parts = text
    .replaceAll(/\\(.)/gs, "$1")
    .replaceAll(/\[[^\]]*\]?|\?/g, "*")
    .split("/");
  return parts
    .map((_, at) => parts.slice(0, at + 1).join("/"))
    .filter((part) => !/^[*/]*$/.test(part))
    .map((part) => join(base, part).toLowerCase());
}

/** Returns the root of the repository that contains a directory; the directory itself if none does. */
async function topOf(directory: string, files: Files): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    if ((await files.lstat(join(at, ".git"))) !== undefined) return at;
    if (dirname(at) === at) return directory;
  }
}
