import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { decode } from "../base/text.ts";
import type { NodeStat } from "../base/tree.ts";
import type { Files } from "../base/world.ts";
import { codeOf, FileTooLarge } from "../base/world.ts";
import type { IndexEntry } from "./git-index.ts";
import { parseIndex } from "./git-index.ts";
import { GitObjects } from "./git-objects.ts";

const INDEX_BYTES_MAX = 256 * 1024 * 1024;
const SMALL_BYTES_MAX = 1024 * 1024;
const FOLDERS_ABOVE_MAX = 64;

/** What git itself can be told to convert files by when they are checked out: content and object then differ. */
const CONVERTING_CONFIG = /autocrlf|\beol\b|attributesfile/i;
const CONVERTING_ATTRIBUTES = /\b(?:text|crlf|eol|ident|filter|encoding|working-tree-encoding)\b/;

/** A repository around a workspace, as far as its own files tell. */
export interface Repository {
  readonly objects: GitObjects;
  /** What the index says of a path below the workspace. */
  entry(path: string): IndexEntry | undefined;
  /** Whether a folder below the workspace has tracked files in it. */
  tracksIn(folder: string): boolean;
  /** Whether a stat alone proves that a file is the same as the object that its entry names. */
  isClean(entry: IndexEntry, stat: NodeStat): boolean;
  /** Tells whether the index is another one by now. */
  readonly stamp: string;
}

/**
 * Reads the repository that a workspace lies in, without running git.
 *
 * Between parts of the work it pauses. Undefined where there is none, or one whose objects cannot be relied on to be here
 * (it borrows them from elsewhere): then nothing counts as kept by it.
 */
export async function openRepository(
  files: Files,
  root: string,
  configFiles: readonly string[],
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<Repository | undefined> {
  const found = await findRepository(files, root);
  if (found === undefined) return undefined;
  const { top, folder } = found;
  const common = await commonFolder(files, folder);
  if ((await files.lstat(join(common, "objects", "info", "alternates"))) !== undefined) return undefined;
  // Names of another length than this reads: nothing of it is known.
  if (await holds(files, join(common, "config"), /objectformat/i)) return undefined;
  const stamp = await indexStamp(files, folder);
  const bytes =
    stamp === undefined ? undefined : await readSmall(files, join(folder, "index"), INDEX_BYTES_MAX);
  const entries = bytes === undefined ? undefined : await parseIndex(bytes, pause);
  if (stamp === undefined || entries === undefined) return undefined;
  const prefix = top === root ? "" : `${relative(top, root).split(sep).join("/")}/`;
  const converts = await mayConvert(files, entries, { top, folder, common, configFiles });
  const written = indexTime(stamp);
  const folders = new Set<string>();
  await pause();
  for (const path of entries.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const above = path.slice(0, at);
      if (folders.has(above)) break;
      folders.add(above);
    }
  }
  await pause();
  return {
    objects: new GitObjects(files, join(common, "objects")),
    entry: (path) => entries.get(prefix + path),
    tracksIn: (path) => folders.has(prefix + path),
    isClean: (entry, stat) => !converts && isStatClean(entry, stat, written),
    stamp,
  };
}

/** Changes with every write of the index; undefined where there is none. */
export async function repositoryStamp(files: Files, root: string): Promise<string | undefined> {
  const found = await findRepository(files, root);
  return found === undefined ? undefined : await indexStamp(files, found.folder);
}

interface Found {
  readonly top: string;
  /** Where the index is. */
  readonly folder: string;
}

async function findRepository(files: Files, root: string): Promise<Found | undefined> {
  let top = root;
  for (let count = 0; count < FOLDERS_ABOVE_MAX; count += 1) {
    const at = join(top, ".git");
    const kind = (await files.lstat(at))?.kind;
    // An empty folder of this name is none: a sandbox puts one in the place of a repository that could come to be.
    if (kind === "directory" && (await files.lstat(join(at, "HEAD"))) !== undefined)
      return { top, folder: at };
    if (kind === "file") {
      const [line = ""] = decode((await readSmall(files, at)) ?? new Uint8Array()).split("\n", 1);
      const named = line.startsWith("gitdir: ") ? line.slice("gitdir: ".length).trim() : "";
      return named === "" ? undefined : { top, folder: resolve(top, named) };
    }
    if (dirname(top) === top) return undefined;
    top = dirname(top);
  }
  return undefined;
}

/** A further working tree of a repository has an index of its own, and the objects of the first one. */
async function commonFolder(files: Files, folder: string): Promise<string> {
  const named = decode((await readSmall(files, join(folder, "commondir"))) ?? new Uint8Array()).trim();
  return named === "" ? folder : isAbsolute(named) ? named : resolve(folder, named);
}

async function indexStamp(files: Files, folder: string): Promise<string | undefined> {
  const info = await files.lstat(join(folder, "index"));
  if (info?.kind !== "file") return undefined;
  return [info.modifiedMs, info.changedMs ?? 0, info.size, info.identity].join(" ");
}

function indexTime(stamp: string): number {
  return Number(stamp.split(" ")[0]) / 1000;
}

interface Conversions {
  readonly top: string;
  readonly folder: string;
  readonly common: string;
  readonly configFiles: readonly string[];
}

async function mayConvert(
  files: Files,
  entries: ReadonlyMap<string, IndexEntry>,
  { top, folder, common, configFiles }: Conversions,
): Promise<boolean> {
  const configs = [
    ...new Set([join(folder, "config"), join(common, "config"), join(folder, "config.worktree")]),
  ];
  const own = configFiles.filter((path) => !path.endsWith("attributes"));
  for (const path of [...configs, ...own]) if (await holds(files, path, CONVERTING_CONFIG)) return true;
  const attributes = [
    ".gitattributes",
    ...[...entries.keys()].filter((path) => path.endsWith("/.gitattributes")),
  ];
  const others = [
    join(common, "info", "attributes"),
    ...configFiles.filter((path) => path.endsWith("attributes")),
  ];
  for (const path of [...others, ...attributes.map((path) => join(top, path))]) {
    if (await holds(files, path, CONVERTING_ATTRIBUTES)) return true;
  }
  return false;
}

/** A file that is too large to be looked through counts as one that holds it. */
async function holds(files: Files, path: string, pattern: RegExp): Promise<boolean> {
  try {
    const bytes = await readSmall(files, path);
    return bytes !== undefined && pattern.test(decode(bytes));
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return true;
    throw thrown;
  }
}

async function readSmall(
  files: Files,
  path: string,
  bytesMax = SMALL_BYTES_MAX,
): Promise<Uint8Array | undefined> {
  try {
    if ((await files.stat(path))?.kind !== "file") return undefined;
    return await files.read(path, bytesMax);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/**
 * As git judges it: nothing about the file changed since git compared it, and that was not in the moment in which the
 * index was written, when a later change could bear the same time.
 */
function isStatClean(entry: IndexEntry, stat: NodeStat, indexSeconds: number): boolean {
  const kind = (entry.mode & 0o170000) === 0o120000 ? "symlink" : "file";
  const hasNanoseconds = entry.modified.nanoseconds !== 0 || entry.changed.nanoseconds !== 0;
  const seconds = entry.modified.seconds + (hasNanoseconds ? entry.modified.nanoseconds / 1e9 : 1);
  return (
    kind === stat.kind &&
    entry.size === stat.size &&
    entry.inode === stat.inode &&
    entry.modified.seconds === stat.modified.seconds &&
    entry.changed.seconds === stat.changed.seconds &&
    hasNanoseconds &&
    entry.modified.nanoseconds === stat.modified.nanoseconds &&
    entry.changed.nanoseconds === stat.changed.nanoseconds &&
    seconds < indexSeconds - INDEX_DOUBT_SECONDS
  );
}

/** The clock of a file system ticks some hundred times a second. */
const INDEX_DOUBT_SECONDS = 0.02;
