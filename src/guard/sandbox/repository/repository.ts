import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { isBelow } from "../../../base/files/below.ts";
import { decode } from "../../../base/text/text.ts";
import type { FileKind, Files } from "../../../base/world.ts";
import type { ProtectedPath } from "../../../session/guard/sandbox.ts";
import { parseGitConfig } from "./git-config.ts";
import { readGitLink } from "./git-directory.ts";
import type { RepositoryScan } from "./repository-scan.ts";

/** Paths of a workspace that git or cinch would execute, and paths elsewhere that git has to write. */
export interface RepositoryPaths {
  /** Git directories outside the workspace that belong to it: of a worktree, or of the repository around it. */
  readonly writable: readonly string[];
  /**
   * Paths among them that git writes for a commit on no branch in a worktree; absent if the workspace is not
   * a worktree.
   */
  readonly commits?: CommitPaths;
  readonly readOnly: readonly ProtectedPath[];
  /** Git directories, as far as commands can write there. */
  readonly directories: readonly string[];
  /**
   * Files that would make git look elsewhere if they existed. Their creation cannot be prevented, so they are removed.
   */
  readonly absent: readonly string[];
}

export interface CommitPaths {
  /** Folder of the repository to which this worktree belongs. Git reads it, wherever it lies. */
  readonly repository: string;
  /** Objects of the repository, and git's folder of this worktree: no reference, hook or configuration. */
  readonly writable: readonly string[];
  readonly readOnly: readonly ProtectedPath[];
}

export interface RepositoryLookup {
  /** The workspace, resolved. */
  readonly root: string;
  /** Resolved. */
  readonly home?: string;
  readonly scan: RepositoryScan;
}

const CONFIG_BYTES_MAX = 65_536;
const LINK_BYTES_MAX = 4_096;
/** Limit for protected repositories below the workspace. Each costs every command half a millisecond. */
const NESTED_MAX = 32;
const PARENTS_MAX = 32;
/** Limit for nested includes. */
const INCLUDES_DEEP_MAX = 4;

/**
 * Finds what must not change below a workspace, though the workspace is writable (S26, S27): what git runs (hooks,
 * what its configuration names) and what cinch reads (`.cinch`).
 *
 * `AGENTS.md` and similar files are not included: the user may have them edited, and a change is asked about before
 * it is loaded. Files that other programs run (`package.json`, `.envrc`, `.vscode`) are the work itself.
 */
export async function repositoryPaths(
  files: Files,
  { root, home, scan }: RepositoryLookup,
): Promise<RepositoryPaths> {
  const workspaceGit = await gitOf(files, root, { root, home });
  const around = workspaceGit === undefined ? await repositoryAround(files, root, home) : undefined;
  const nested = await nestedIn(files, scan, { root, home });
  const commits = workspaceGit?.commits ?? around?.commits;
  const found = [workspaceGit, around, ...nested].filter((each) => each !== undefined);
  const cinch: ProtectedPath = { path: join(root, ".cinch"), kind: "directory" };
  const none: ProtectedPath = { path: join(root, ".git"), kind: "directory", onlyInBackground: true };
  return {
    writable: found.flatMap((each) => each.writable),
    ...(commits === undefined ? {} : { commits }),
    readOnly: [
      cinch,
      ...(workspaceGit === undefined ? [none] : []),
      ...found.flatMap((each) => each.readOnly),
    ],
    directories: found.flatMap((each) => each.directories),
    absent: found.flatMap((each) => each.absent),
  };
}

/** Returns the nearest repository around a workspace that is one of its folders, up to the home directory. */
async function repositoryAround(
  files: Files,
  root: string,
  home: string | undefined,
): Promise<RepositoryPaths | undefined> {
  let directory = root;
  for (let step = 0; step < PARENTS_MAX; step += 1) {
    directory = dirname(directory);
    if (directory === "/" || directory === home) return undefined;
    const git = join(directory, ".git");
    const kind = await kindOf(files, git);
    if (kind === "file") {
      const places = await linked(files, { git, root: directory, home });
      if (places !== undefined) return places;
    }
    // A command of a session in that folder could have made a link, to the git directory of any other repository.
    if (kind !== "directory" || (await kindOf(files, join(git, "HEAD"))) !== "file") continue;
    const places = await gitDirectory(files, { directory: git, common: git, tree: directory, home });
    return { ...places, writable: [git] };
  }
  return undefined;
}

/**
 * Returns the repositories below the workspace, without bare ones: those lie among the files of the work, where tests
 * make and remove them, so they are reported and not closed.
 */
async function nestedIn(
  files: Files,
  scan: RepositoryScan,
  workspace: Workspace,
): Promise<readonly RepositoryPaths[]> {
  const repositories = (await scan.find()).filter(
    ({ path, kind }) => path !== workspace.root && (kind === "directory" || kind === "link"),
  );
  const found = await Promise.all(
    repositories.slice(0, NESTED_MAX).map(({ path }) => gitOf(files, path, workspace)),
  );
  return found.filter((each) => each !== undefined);
}

type Workspace = Pick<RepositoryLookup, "root"> & { readonly home: string | undefined };

/** Returns the places of a repository's `.git`; undefined if git would not take it for one. */
async function gitOf(
  files: Files,
  root: string,
  { root: workspace, home }: Workspace,
): Promise<RepositoryPaths | undefined> {
  const git = join(root, ".git");
  const kind = await kindOf(files, git);
  if (kind === "directory") {
    // cinch may have made an empty one: git takes only one with a HEAD for a repository.
    if ((await kindOf(files, join(git, "HEAD"))) === undefined) return undefined;
    return await gitDirectory(files, { directory: git, common: git, tree: root, home });
  }
  const link: ProtectedPath = { path: git, kind: "file" };
  if (kind !== "file")
    return kind === undefined ? undefined : { writable: [], readOnly: [link], directories: [], absent: [] };
  const places =
    (await linked(files, { git, root, home })) ?? (await separate(files, git, { workspace, home }));
  return {
    writable: places?.writable ?? [],
    ...(places?.commits === undefined ? {} : { commits: places.commits }),
    readOnly: [link, ...(places?.readOnly ?? [])],
    directories: places?.directories ?? [],
    absent: places?.absent ?? [],
  };
}

/**
 * Returns the places of a worktree, whose git directory lies in another repository. The link is trusted only if that
 * repository knows of it: otherwise a downloaded file could open any folder.
 */
async function linked(
  files: Files,
  { git, root, home }: { readonly git: string; readonly root: string; readonly home: string | undefined },
): Promise<RepositoryPaths | undefined> {
  const named = /^gitdir: (.+?)\n?$/.exec(await textOf(files, git, LINK_BYTES_MAX))?.[1];
  if (named === undefined) return undefined;
  const directory = isAbsolute(named) ? named : resolve(root, named);
  const back = (await textOf(files, join(directory, "gitdir"), LINK_BYTES_MAX)).trim();
  const common = dirname(dirname(directory));
  if (back !== git || basename(dirname(directory)) !== "worktrees" || basename(common) !== ".git")
    return undefined;
  if ((await realpath(files, directory)) !== directory) return undefined;
  const places = await gitDirectory(files, { directory, common, tree: root, home });
  const commits = await commitPlaces(files, common, directory);
  return { ...places, writable: [common, directory], ...(commits === undefined ? {} : { commits }) };
}

/** Returns the git directory of `git init --separate-git-dir`, or of a submodule, if it lies in the workspace. */
async function separate(
  files: Files,
  git: string,
  { workspace, home }: { readonly workspace: string; readonly home: string | undefined },
): Promise<RepositoryPaths | undefined> {
  const directory = await readGitLink(files, git, workspace);
  if (directory === undefined || (await kindOf(files, join(directory, "HEAD"))) === undefined)
    return undefined;
  return await gitDirectory(files, { directory, common: directory, tree: dirname(git), home });
}

/**
 * Returns what a commit writes. It only adds loose objects to the repository: packs, and what leads git to objects
 * elsewhere, stay as they are. Nothing that git would execute or obey is created in its folder of the worktree.
 */
async function commitPlaces(
  files: Files,
  common: string,
  directory: string,
): Promise<CommitPaths | undefined> {
  const objects = join(common, "objects");
  if ((await kindOf(files, objects)) !== "directory") return undefined;
  return {
    repository: dirname(common),
    writable: [objects, directory],
    readOnly: [
      { path: join(objects, "info"), kind: "directory" },
      { path: join(objects, "pack"), kind: "directory" },
      { path: join(directory, "modules"), kind: "directory" },
      { path: join(directory, "config.worktree"), kind: "file" },
    ],
  };
}

interface GitFolders {
  readonly directory: string;
  readonly common: string;
  /** The working tree, in which git runs hooks. */
  readonly tree: string;
  readonly home: string | undefined;
}

/** Returns the parts of one git directory that decide what git executes. */
async function gitDirectory(
  files: Files,
  { directory, common, tree, home }: GitFolders,
): Promise<RepositoryPaths> {
  const config = join(common, "config");
  const parts: readonly ProtectedPath[] = [
    { path: join(common, "hooks"), kind: "directory" },
    { path: config, kind: "file" },
  ];
  const optional = [
    join(common, "modules"),
    join(common, "worktrees"),
    ...["config.worktree", "commondir", "gitdir"].map((name) => join(directory, name)),
  ];
  const kinds = await Promise.all(
    [...parts.map(({ path }) => path), ...optional].map((path) => kindOf(files, path)),
  );
  // A link could be replaced, since its folder has to be writable: then nothing of the directory is writable.
  if (kinds.includes("symlink"))
    return { writable: [], readOnly: [{ path: common, kind: "directory" }], directories: [], absent: [] };
  const there = (path: string) => kinds[parts.length + optional.indexOf(path)] !== undefined;
  const existing = optional.filter((path) => there(path));
  const asked = join(directory, "config.worktree");
  const [shared, worktreeConfig] = await Promise.all(
    [config, asked].map((path) => settingsOf(files, path, { tree, home }, INCLUDES_DEEP_MAX)),
  );
  const isAsked = shared?.worktreeConfig === true && !there(asked);
  return {
    writable: [],
    readOnly: [
      ...parts,
      ...existing.map((path) => ({ path, kind: "file" }) as const),
      ...(isAsked ? [{ path: asked, kind: "file" } as const] : []),
      ...(shared?.named ?? []),
      ...(worktreeConfig?.named ?? []),
    ],
    directories: [...new Set([common, directory])],
    absent: there(join(directory, "commondir")) ? [] : [join(directory, "commondir")],
  };
}

interface Settings {
  readonly named: readonly ProtectedPath[];
  readonly worktreeConfig: boolean;
}

/**
 * Returns the folders and files of the workspace that a configuration makes git execute or read as configuration:
 * hooks below the working tree, even if nothing exists there yet, the included files, the configuration itself, and
 * what these name in turn.
 */
async function settingsOf(
  files: Files,
  path: string,
  from: Pick<GitFolders, "tree" | "home">,
  deep: number,
): Promise<Settings> {
  const settings = parseGitConfig(await textOf(files, path, CONFIG_BYTES_MAX));
  const found = settings.map(async ({ key, value }): Promise<readonly ProtectedPath[]> => {
    const isHooks = key === "core.hookspath";
    if (value === "" || !(isHooks || /^include(?:if\..*)?\.path$/s.test(key))) return [];
    const named = value.startsWith("~/") ? join(from.home ?? "/", value.slice(2)) : value;
    const place = resolve(isHooks ? from.tree : dirname(path), named);
    // Its folder might be anywhere: only an existing path, or one inside the tree, is worth a mount.
    const isThere = (await kindOf(files, place)) !== undefined;
    if (!isThere && !isBelow(from.tree, place)) return [];
    const includedPath: ProtectedPath = { path: place, kind: isHooks ? "directory" : "file" };
    if (isHooks || !isThere || deep === 0) return [includedPath];
    return [includedPath, ...(await settingsOf(files, place, from, deep - 1)).named];
  });
  const isAsked = settings.some(
    ({ key, value }) => key === "extensions.worktreeconfig" && !/^(?:false|no|off|0)$/i.test(value),
  );
  return { named: (await Promise.all(found)).flat(), worktreeConfig: isAsked };
}

async function textOf(files: Files, path: string, bytesMax: number): Promise<string> {
  try {
    return decode(await files.read(path, bytesMax));
  } catch {
    return ""; // an unreadable file names nothing here; the path itself is protected all the same
  }
}

async function realpath(files: Files, path: string): Promise<string | undefined> {
  try {
    return await files.realpath(path);
  } catch {
    return undefined;
  }
}

async function kindOf(files: Files, path: string): Promise<FileKind | undefined> {
  try {
    return (await files.lstat(path))?.kind;
  } catch {
    return "other";
  }
}
