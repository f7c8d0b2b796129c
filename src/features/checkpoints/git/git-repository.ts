import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { NodeStat, Tree } from "../../../base/files/tree.ts";
import type { Files } from "../../../base/world.ts";
import { mayConvert, usesOtherObjectNames } from "./git-conversion.ts";
import type { GitFolders } from "./git-folders.ts";
import { findGitFolders, pathPrefix } from "./git-folders.ts";
import type { IndexEntry } from "./git-index.ts";
import { parseIndex } from "./git-index.ts";
import { GitObjects } from "./git-objects.ts";

const INDEX_BYTES_MAX = 256 * 1024 * 1024;
/** Limit for the names of all folders together; each contains those above it. */
const FOLDER_CHARACTERS_MAX = 256 * 1024 * 1024;
/** Tick of a file system's clock: some hundred times a second. */
const INDEX_DOUBT_SECONDS = 0.02;

/** The repository around a workspace, as far as its own files show. */
export interface GitRepository {
  readonly objects: GitObjects;
  /** Returns the index entry of a path below the workspace. */
  entry(path: string): IndexEntry | undefined;
  /** Returns true if a folder below the workspace has tracked files in it. */
  tracksIn(folder: string): boolean;
  /** Returns true if a stat alone proves that a file equals the object that its entry names. */
  isClean(entry: IndexEntry, stat: NodeStat): boolean;
}

/** A repository that exists and cannot be read. */
export class RepositoryUnreadable extends Error {
  override readonly name = "RepositoryUnreadable";
  constructor(root: string, cause: unknown) {
    super(`the repository around ${root} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

export interface GitRepositoryDependencies {
  readonly files: Files;
  readonly tree: Tree;
  /** The workspace: absolute and resolved. */
  readonly root: string;
  /** Configuration and attribute files of the user's own git. */
  readonly configFiles: readonly string[];
  /** Lets other work run; throws the reason of a cancel. */
  readonly pause: () => Promise<void>;
}

/**
 * Reads the repository around a workspace, without running git and without following links.
 *
 * Returns undefined if there is none, or if its objects may not stay available (it borrows them from elsewhere): then
 * nothing counts as stored by it. A hostile repository can make it neither run without end nor read files that are
 * not git's.
 * @throws RepositoryUnreadable; what `pause` throws.
 */
export async function openGitRepository(
  dependencies: GitRepositoryDependencies,
): Promise<GitRepository | undefined> {
  const stopped: { reason?: unknown } = {};
  const pause = async () => {
    try {
      await dependencies.pause();
    } catch (reason) {
      stopped.reason = reason;
      throw reason;
    }
  };
  try {
    return await openRepository({ ...dependencies, pause });
  } catch (thrown) {
    if ("reason" in stopped) throw stopped.reason;
    throw new RepositoryUnreadable(dependencies.root, thrown);
  }
}

/**
 * Returns a stamp that changes with every write of the index; undefined if there is none.
 * @throws RepositoryUnreadable.
 */
export function gitIndexStamp(tree: Tree, root: string): string | undefined {
  try {
    const folders = findGitFolders(tree, root);
    const stat = folders === undefined ? undefined : indexStat(tree, folders);
    return stat === undefined ? undefined : `${folders?.folder} ${stampOf(stat)}`;
  } catch (thrown) {
    throw new RepositoryUnreadable(root, thrown);
  }
}

async function openRepository(dependencies: GitRepositoryDependencies): Promise<GitRepository | undefined> {
  const { files, tree, root, configFiles, pause } = dependencies;
  const folders = findGitFolders(tree, root);
  if (folders === undefined || !hasOwnObjects(tree, folders.common)) return undefined;
  const written = indexStat(tree, folders);
  if (written === undefined || usesOtherObjectNames(tree, folders.common)) return undefined;
  const bytes = await readIndex(files, join(folders.folder, "index"));
  const entries = bytes === undefined ? undefined : await parseIndex(bytes, pause);
  if (entries === undefined) return undefined;
  const prefix = pathPrefix(folders.top, root);
  const converts = await mayConvert({ files, tree, folders, paths: entries.keys(), configFiles, pause });
  const { seconds, nanoseconds } = written.modified;
  const writtenSeconds = seconds + nanoseconds / 1e9;
  let tracked: ReadonlySet<string> | undefined;
  return {
    objects: new GitObjects(files, join(folders.common, "objects")),
    entry: (path) => entries.get(prefix + path),
    tracksIn(path) {
      tracked ??= foldersOf(entries.keys());
      return tracked.has(prefix + path);
    },
    isClean: (entry, stat) => !converts && isStatClean(entry, stat, writtenSeconds),
  };
}

/**
 * Returns false if a folder of objects is a link, or a file names other repositories: those objects may be
 * gone tomorrow.
 */
function hasOwnObjects(tree: Tree, common: string): boolean {
  const pack = tree.stat(common, "objects/pack")?.kind ?? "directory";
  return (
    tree.stat(common, "objects")?.kind === "directory" &&
    pack === "directory" &&
    tree.stat(common, "objects/info/alternates") === undefined
  );
}

function indexStat(tree: Tree, { folder }: GitFolders): NodeStat | undefined {
  const stat = tree.stat(folder, "index");
  return stat?.kind === "file" ? stat : undefined;
}

function stampOf({ modified, changed, size, inode }: NodeStat): string {
  const { seconds, nanoseconds } = modified;
  return [seconds, nanoseconds, changed.seconds, changed.nanoseconds, size, inode].join(" ");
}

/** Returns undefined if it is larger than the limit. */
async function readIndex(files: Files, path: string): Promise<Uint8Array | undefined> {
  await using index = await files.openResolved(path);
  const { size } = index.info;
  return size > INDEX_BYTES_MAX ? undefined : await index.read(0, size);
}

function foldersOf(paths: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  let characters = 0;
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const above = path.slice(0, at);
      if (folders.has(above)) break;
      folders.add(above);
      characters += at;
    }
    // No repository of files has so many. The limit only affects what counts as tracked, which only decides about
    // disk space.
    if (characters > FOLDER_CHARACTERS_MAX) break;
  }
  return folders;
}

/**
 * Decides as git does: nothing about the file changed since git compared it. A comparison in the moment in which the
 * index was written does not count, since a later change could have the same time.
 */
function isStatClean(entry: IndexEntry, stat: NodeStat, indexSeconds: number): boolean {
  const { modified, changed } = entry;
  const kind = (entry.mode & 0o170000) === 0o120000 ? "symlink" : "file";
  const hasNanoseconds = modified.nanoseconds !== 0 || changed.nanoseconds !== 0;
  return (
    kind === stat.kind &&
    entry.size === stat.size &&
    entry.inode === stat.inode &&
    modified.seconds === stat.modified.seconds &&
    changed.seconds === stat.changed.seconds &&
    hasNanoseconds &&
    modified.nanoseconds === stat.modified.nanoseconds &&
    changed.nanoseconds === stat.changed.nanoseconds &&
    modified.seconds + modified.nanoseconds / 1e9 < indexSeconds - INDEX_DOUBT_SECONDS
  );
}
