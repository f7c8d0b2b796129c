import { relativeWithin } from "../../../base/files/below.ts";
import type { Files } from "../../../base/world.ts";
import type { ShellWord } from "../../../shell/analysis.ts";
import { literalOf } from "../../../shell/analysis.ts";
import type { Use } from "../commands/grammar.ts";
import { keyNameOf } from "../judge/key-links.ts";
import { mayHoldCredentials } from "../judge/sensitive.ts";
import type { ReadRules } from "../rules/read-rules.ts";
import { printRule } from "../rules/rule.ts";
import { readableFolders } from "../rules/workspace-paths.ts";
import type { FindGitRepository, RunGit } from "./find-git-repository.ts";
import { gitProgramProblem } from "./git-programs.ts";
import { repositoryProblem } from "./repository-problem.ts";
import type { PathResolver } from "./resolve-word.ts";
import { resolveWord } from "./resolve-word.ts";
import type { SearchPath } from "./search-path.ts";
import { treeProblem } from "./tree-problem.ts";

/** Folders that every machine of a kind has, and the entries of the root itself. */
const OF_THE_SYSTEM = /^\/(?:usr|s?bin|lib\w*|etc|opt|dev|proc|sys|nix)(?:\/|$)|^\/[^/]*$/;
const LIST_ENTRIES_MAX = 4_096;

/** Returns why one of these uses is more than reading what the agent may read; undefined if none is. */
export async function usesProblem(uses: readonly Use[], disk: DiskChecks): Promise<string | undefined> {
  const problems = await Promise.all(uses.map((use) => useProblem(use, disk)));
  return problems.find((problem) => problem !== undefined);
}

async function useProblem(use: Use, disk: DiskChecks): Promise<string | undefined> {
  const { workspace, resolver, reading, git, says } = disk;
  const { directories } = use;
  if (use.kind === "repository") {
    const here = await resolveWord(
      { kind: "known", text: ".", value: ".", home: false },
      directories,
      resolver,
    );
    if (typeof here === "string") return here;
    for (const { path } of here) {
      const problem =
        (await repositoryProblem(path, use.tree, { files: resolver.files, git })) ??
        (await gitProgramProblem(path, says, disk));
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const { word } = use;
  if (literalOf(word) === "/dev/null") return undefined;
  const found = await resolveWord(word, directories, resolver);
  if (typeof found === "string") return found;
  const readable = readableFolders(workspace);
  const isReadable = (path: string) =>
    readable.some((directory) => relativeWithin(directory, path) !== undefined);
  for (const { path, spelled } of found) {
    if (word.kind === "glob" && /^[-@]/.test(spelled)) return `${spelled} would be taken for a flag`;
    if (use.existence === true) {
      if (isReadable(path) || OF_THE_SYSTEM.test(path)) continue;
      return `it tells whether ${path} is there, outside the workspace`;
    }
    if (!isReadable(path)) return `it reads ${path}, outside the workspace`;
    if (mayHoldCredentials(path) || mayHoldCredentials(spelled))
      return `it reads ${path}, which may hold a key or password`;
    const key = await keyAt(path, use, resolver);
    if (key !== undefined) return `it reads ${key}, which may hold a key or password`;
    const restricted = use.deep === undefined ? undefined : reading?.below(path);
    if (restricted !== undefined)
      return `it may also read what the rule ${restricted.effect} "${printRule(restricted)}" is about`;
    const met = await belowProblem(path, use, resolver.files, isReadable);
    if (met !== undefined) return met;
  }
  return undefined;
}

/** Returns the key that a word names by another name, itself or below it. */
async function keyAt(
  path: string,
  { deep }: Extract<Use, { word: ShellWord }>,
  { files, keys }: PathResolver,
) {
  if (keys === undefined) return undefined;
  const named = await keyNameOf(path, files, keys);
  if (named !== undefined || deep === undefined) return named;
  const [below] =
    (await files.lstat(path))?.kind === "directory" ? (await keys.linksBelow(path)).values() : [];
  return below;
}

/** Returns why a command may not read everything below a directory; undefined if it may. */
async function belowProblem(
  path: string,
  { deep, checkedFor: looked }: Extract<Use, { readonly kind: "path" }>,
  files: Files,
  isReadable: (path: string) => boolean,
): Promise<string | undefined> {
  if (deep === undefined || (await files.stat(path))?.kind !== "directory") return undefined;
  if (looked !== undefined) return await treeProblem(path, looked, { files, isReadable });
  const inside = await credentialsIn(path, deep, files);
  return inside === undefined ? undefined : `it also reads ${inside}, which may hold a key or password`;
}

/** Inputs for checking the words of a line on disk. */
export interface DiskChecks extends SearchPath {
  readonly reading: ReadRules | undefined;
  readonly git: FindGitRepository | undefined;
  readonly says: RunGit | undefined;
}

/** Checks the directory itself: only that far a search is known not to show a key (see docs/threats/calls.md). */
async function credentialsIn(
  path: string,
  deep: "all" | "visible",
  files: Files,
): Promise<string | undefined> {
  const entries = await files.list(path);
  if (entries.length > LIST_ENTRIES_MAX) return undefined;
  return entries.find(
    ({ name, kind }) =>
      kind !== "directory" && (deep === "all" || !name.startsWith(".")) && mayHoldCredentials(name),
  )?.name;
}
