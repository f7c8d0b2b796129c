import { join } from "node:path";
import type { FileInfo, Files } from "../base/world.ts";

/** A folder in which git would find a repository. */
export interface FoundRepository {
  /** Absolute. */
  readonly path: string;
  /** `bare`: the folder itself is what a `.git` is elsewhere. */
  readonly kind: "directory" | "link" | "bare";
}

/** Looks for repositories below a folder, again and again: only what changed since the look before is listed anew. */
export interface RepositoryScan {
  /** The nearest first. The folder's own is not among them, but for one that the folder is itself, or whose `.git` was a link. */
  find(): Promise<readonly FoundRepository[]>;
}

/** Each costs every look a glance of some ten microseconds. */
const FOLDERS_MAX = 2_000;
const DEPTH_MAX = 16;
/** Caches and environments lie in hidden folders, and are large: further down nothing is looked for. */
const HIDDEN_DEPTH_MAX = 3;
const ENTRIES_MAX = 10_000;
const REPOSITORIES_MAX = 256;
/** Packages are no place where people keep repositories. */
const SKIPPED: ReadonlySet<string> = new Set([".git", "node_modules"]);

interface Folder {
  readonly path: string;
  readonly depth: number;
  /** How far below a hidden folder; 0 where it is in none. */
  readonly hidden: number;
}

interface Listing {
  readonly print: string;
  readonly folders: readonly string[];
  readonly dot: boolean;
  readonly bare: boolean;
}

/** Follows no link. What is beyond its limits is not seen: the threat model tells them. */
export function repositoryScan(files: Files, root: string): RepositoryScan {
  let known: ReadonlyMap<string, Listing> = new Map();
  /** A `.git` of the folder itself that is a link cannot be closed: from then on what becomes of it is looked at. */
  let isRootOpen = false;

  async function find(): Promise<readonly FoundRepository[]> {
    const now = new Map<string, Listing>();
    const found: FoundRepository[] = [];
    let level: readonly Folder[] = [{ path: root, depth: 0, hidden: 0 }];
    for (let left = FOLDERS_MAX; level.length > 0 && left > 0; ) {
      const looked = level.slice(0, left);
      left -= looked.length;
      const listings = await Promise.all(looked.map(({ path }) => listing(path, known.get(path))));
      const next: Folder[] = [];
      for (const [at, folder] of looked.entries()) {
        const listed = listings[at];
        if (listed === undefined) continue;
        now.set(folder.path, listed);
        next.push(...below(folder, listed));
      }
      found.push(...(await repositoriesIn(looked, now)));
      // The person's own folders before hidden ones, where the limit cuts.
      level = next.sort((one, other) => one.hidden - other.hidden);
    }
    known = now;
    return found.slice(0, REPOSITORIES_MAX);
  }

  async function listing(path: string, before: Listing | undefined): Promise<Listing | undefined> {
    try {
      const info = await files.lstat(path);
      if (info?.kind !== "directory") return undefined;
      const print = printOf(info);
      if (before?.print === print) return before;
      const entries = (await files.list(path)).slice(0, ENTRIES_MAX);
      const names = new Set(entries.map(({ name }) => name));
      return {
        print,
        folders: entries.flatMap(({ name, kind }) =>
          kind === "directory" && !SKIPPED.has(name) ? [name] : [],
        ),
        dot: names.has(".git"),
        bare: ["HEAD", "objects", "refs"].every((name) => names.has(name)),
      };
    } catch {
      return undefined; // where we may not look, a command may not either
    }
  }

  async function repositoriesIn(
    folders: readonly Folder[],
    listings: ReadonlyMap<string, Listing>,
  ): Promise<readonly FoundRepository[]> {
    const found = folders.map(async ({ path, depth }): Promise<readonly FoundRepository[]> => {
      const listed = listings.get(path);
      if (listed?.bare === true) return [{ path, kind: "bare" }];
      if (listed?.dot !== true) return [];
      const dot = join(path, ".git");
      if (depth === 0) isRootOpen ||= await isLink(dot);
      if (depth === 0 && !isRootOpen) return [];
      const kind = await dotKind(dot);
      return kind === undefined ? [] : [{ path, kind }];
    });
    return (await Promise.all(found)).flat();
  }

  async function isLink(path: string): Promise<boolean> {
    try {
      return (await files.lstat(path))?.kind === "symlink";
    } catch {
      return false; // where we may not look, a command may not either
    }
  }

  /** Without a HEAD git takes a folder for none. */
  async function dotKind(dot: string): Promise<FoundRepository["kind"] | undefined> {
    try {
      const info = await files.lstat(dot);
      if (info?.kind !== "directory") return info === undefined ? undefined : "link";
      return (await files.lstat(join(dot, "HEAD"))) === undefined ? undefined : "directory";
    } catch {
      return undefined;
    }
  }

  return { find };
}

function below({ path, depth, hidden }: Folder, { folders, bare }: Listing): readonly Folder[] {
  if (depth >= DEPTH_MAX || hidden >= HIDDEN_DEPTH_MAX) return [];
  const others = bare ? folders.filter((name) => name !== "objects" && name !== "refs") : folders;
  return others.map((name) => ({
    path: join(path, name),
    depth: depth + 1,
    hidden: hidden > 0 || name.startsWith(".") ? hidden + 1 : 0,
  }));
}

function printOf({ identity, modifiedMs, changedMs }: FileInfo): string {
  return [identity, modifiedMs, changedMs].join(" ");
}
