import { join } from "node:path";
import type { FileInfo, Files } from "../base/world.ts";

/** A folder in which git would find a repository. */
export interface FoundRepository {
  /** Absolute. */
  readonly path: string;
  /**
   * `link`: the `.git` is a link, or a file that names a folder. `part`: the `.git` has no HEAD, so that git takes the folder
   * for no repository until somebody completes it. `bare`: the folder itself is what a `.git` is elsewhere.
   */
  readonly kind: "directory" | "link" | "part" | "bare";
}

/** Looks for repositories below a folder, again and again: only what changed since the look before is listed anew. */
export interface RepositoryScan {
  /** The nearest first, beginning with that of the folder itself. */
  find(): Promise<readonly FoundRepository[]>;
}

/** Each costs every look a glance of some ten microseconds. */
const FOLDERS_MAX = 2_000;
const DEPTH_MAX = 16;
/** Caches and environments lie in hidden folders, and are large: further down nothing is looked for. */
const HIDDEN_DEPTH_MAX = 3;
const ENTRIES_MAX = 10_000;
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
    return found;
  }

  async function listing(path: string, before: Listing | undefined): Promise<Listing | undefined> {
    try {
      const info = await files.lstat(path);
      if (info?.kind !== "directory") return undefined;
      const print = printOf(info);
      if (before?.print === print) return before;
      const entries = await files.list(path);
      const names = new Set(entries.map(({ name }) => name));
      return {
        print,
        folders: entries
          .flatMap(({ name, kind }) => (kind === "directory" && !SKIPPED.has(name) ? [name] : []))
          .slice(0, ENTRIES_MAX),
        dot: names.has(".git"),
        bare: names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs"))),
      };
    } catch {
      return undefined; // where we may not look, a command may not either
    }
  }

  async function repositoriesIn(
    folders: readonly Folder[],
    listings: ReadonlyMap<string, Listing>,
  ): Promise<readonly FoundRepository[]> {
    const found = folders.map(async ({ path }): Promise<readonly FoundRepository[]> => {
      const listed = listings.get(path);
      const bare: readonly FoundRepository[] = listed?.bare === true ? [{ path, kind: "bare" }] : [];
      const kind = listed?.dot === true ? await dotKind(join(path, ".git")) : undefined;
      return kind === undefined ? bare : [{ path, kind }, ...bare];
    });
    return (await Promise.all(found)).flat();
  }

  async function dotKind(dot: string): Promise<FoundRepository["kind"] | undefined> {
    try {
      const info = await files.lstat(dot);
      if (info?.kind !== "directory") return info === undefined ? undefined : "link";
      return (await files.lstat(join(dot, "HEAD"))) === undefined ? "part" : "directory";
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
