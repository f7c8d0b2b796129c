import { dirname, isAbsolute, join, resolve } from "node:path";
import { isBelow } from "../../../base/files/below.ts";
import { decode } from "../../../base/text/text.ts";
import type { DirectoryEntry, Files } from "../../../base/world.ts";
import type { FoundRepository } from "./found-repository.ts";

/** Folders from which git takes its configuration and hooks, for one repository of a workspace. */
export interface GitDirectories {
  /** Absolute and resolved: the repository's own directory, and those of its worktrees and submodules. */
  readonly paths: readonly string[];
  /** True if the `.git` is a link, or a file that leads out of the workspace: what git obeys there is unknown. */
  readonly leadsAway?: true;
}

export type GitFiles = Pick<Files, "lstat" | "list" | "realpath" | "openResolved">;

const POINTER_BYTES_MAX = 4_096;
/** Limit for the folders of one repository, below `modules` and in `worktrees`; further ones are ignored. */
const FOLDERS_MAX = 2_048;

/** Finds the git directories of a repository below `root`. */
export async function gitDirectories(
  files: GitFiles,
  { path, kind }: FoundRepository,
  root: string,
): Promise<GitDirectories> {
  const dot = join(path, ".git");
  const gitDirectory = kind === "bare" ? path : kind === "link" ? await readGitLink(files, dot, root) : dot;
  if (gitDirectory === undefined) return { paths: [], leadsAway: true };
  return { paths: [gitDirectory, ...(await innerDirectories(files, gitDirectory))] };
}

/**
 * Returns the folder of the workspace that a `.git` file names, existing or not. Undefined for a file that leads
 * elsewhere or through a link, and for a `.git` that is a link: `/proc/self/cwd` in it means another folder to git
 * than to cinch.
 */
export async function readGitLink(files: GitFiles, dot: string, root: string): Promise<string | undefined> {
  const text = await readGitFile(files, dot, POINTER_BYTES_MAX);
  const named = typeof text === "string" ? /^gitdir: ([^\0]+?)[\r\n]*$/.exec(text)?.[1] : undefined;
  if (named === undefined) return undefined;
  const place = isAbsolute(named) ? resolve(named) : resolve(dirname(dot), named);
  if (!isBelow(root, place)) return undefined;
  return (await hasNoLinks(files, place, root)) ? place : undefined;
}

/** Returns true if no existing part of a path is a link. */
export async function hasNoLinks(files: GitFiles, path: string, root: string): Promise<boolean> {
  for (let at = path; at !== root; at = dirname(at)) {
    try {
      return (await files.realpath(at)) === at;
    } catch {
      if (await isLink(files, at)) return false; // to a missing target
    }
  }
  return true;
}

async function isLink(files: GitFiles, path: string): Promise<boolean> {
  try {
    return (await files.lstat(path))?.kind === "symlink";
  } catch {
    return true; // access is refused, so nothing is known
  }
}

/**
 * Finds the git directories of submodules (`modules/a/b`, and those nested in them) and of worktrees (`worktrees/a`).
 */
async function innerDirectories(files: GitFiles, gitDirectory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [join(gitDirectory, "modules")];
  const worktrees = join(gitDirectory, "worktrees");
  for (const name of folderNames(await entriesOf(files, worktrees))) found.push(join(worktrees, name));
  for (let at = 0; at < folders.length && at < FOLDERS_MAX; at += 1) {
    const folder = folders[at] ?? gitDirectory;
    const entries = await entriesOf(files, folder);
    const isRepository = at > 0 && entries.some(({ name }) => GIT_FILES.has(name));
    if (isRepository) found.push(folder);
    const names = folderNames(entries).filter((name) => !isRepository || !OF_GIT.has(name));
    folders.push(...names.map((name) => join(folder, name)));
  }
  return found.slice(0, FOLDERS_MAX);
}

/** One of these makes a folder below `modules` a repository: git may complete what is missing. */
const GIT_FILES: ReadonlySet<string> = new Set(["HEAD", "config", "commondir", "hooks"]);
/** Folders of a git directory that contain no other git directory. */
const OF_GIT: ReadonlySet<string> = new Set(["objects", "refs", "logs", "hooks", "info"]);

function folderNames(entries: readonly DirectoryEntry[]): readonly string[] {
  return entries.flatMap(({ name, kind }) => (kind === "directory" ? [name] : []));
}

async function entriesOf(files: GitFiles, folder: string): Promise<readonly DirectoryEntry[]> {
  try {
    return (await files.lstat(folder))?.kind === "directory" ? await files.list(folder) : [];
  } catch {
    return []; // it is gone, or access is refused, and then git of the same user is refused too
  }
}

/**
 * Reads a file at a path without links.
 * @returns undefined if nothing exists there; `unreadable` for anything but a readable file of at most `bytesMax`.
 */
export async function readGitFile(
  files: GitFiles,
  path: string,
  bytesMax: number,
): Promise<string | { readonly problem: "unreadable" } | undefined> {
  try {
    if ((await files.lstat(path)) === undefined) return undefined;
    await using file = await files.openResolved(path);
    if (file.info.size > bytesMax) return { problem: "unreadable" };
    return decode(await file.read(0, bytesMax));
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return { problem: "unreadable" };
  }
}
