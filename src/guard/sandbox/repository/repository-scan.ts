import { basename, join } from "node:path";
import { isBelow } from "../../../base/files/below.ts";
import type { FileInfo, Files } from "../../../base/world.ts";
import type { FoundRepository } from "./found-repository.ts";
import { hasNoLinks, readGitLink } from "./git-directory.ts";
import { submodules } from "./git-submodules.ts";

/** Searches for repositories below a folder repeatedly: lists only folders that changed since the previous search. */
export interface RepositoryScan {
  /** Returns the nearest first, beginning with that of the folder itself. */
  find(): Promise<readonly FoundRepository[]>;
}

/** Limit for folders. Each costs every search some ten microseconds. */
const FOLDERS_MAX = 2_000;
const DEPTH_MAX = 16;
/** Caches and environments lie in hidden folders, and are large: nothing deeper is searched. */
const HIDDEN_DEPTH_MAX = 3;
const ENTRIES_MAX = 10_000;
const REPOSITORIES_MAX = 4_096;
/** Packages are many: they are searched last, and their folders are counted separately. */
const PACKAGES = "node_modules";
const PACKAGE_FOLDERS_MAX = 1_000;

interface Folder {
  readonly path: string;
  readonly depth: number;
  /** Depth below a hidden folder; 0 outside of one, and in packages, which pnpm keeps in one. */
  readonly hidden: number;
}

interface Listing {
  readonly print: string;
  readonly folders: readonly string[];
  readonly dot: boolean;
  readonly bare: boolean;
}

/** Follows no link. Repositories beyond its limits are not found, as the threat model says. */
export function repositoryScan(files: Files, root: string): RepositoryScan {
  let known: ReadonlyMap<string, Listing> = new Map();
  const inIndex = submodules(files);

  async function find(): Promise<readonly FoundRepository[]> {
    const now = new Map<string, Listing>();
    const found: FoundRepository[] = [];
    const packages: Folder[] = [];
    await search([{ path: root, depth: 0, hidden: 0 }], FOLDERS_MAX, packages);
    await search(packages, PACKAGE_FOLDERS_MAX, undefined);
    known = now;
    return await withSubmodules(found);

    /** Searches folders level by level; those of packages are collected in `apart` if it is given. */
    async function search(from: readonly Folder[], foldersMax: number, apart: Folder[] | undefined) {
      let level = from;
      for (let remainingFolders = foldersMax; level.length > 0 && remainingFolders > 0; ) {
        const looked = level.slice(0, remainingFolders);
        remainingFolders -= looked.length;
        const listings = await Promise.all(looked.map(({ path }) => listing(path, known.get(path))));
        const next: Folder[] = [];
        for (const [at, folder] of looked.entries()) {
          const listed = listings[at];
          if (listed === undefined) continue;
          now.set(folder.path, listed);
          for (const inner of below(folder, listed))
            (basename(inner.path) === PACKAGES ? (apart ?? next) : next).push(inner);
        }
        found.push(...(await repositoriesIn(looked, now)));
        // The user's own folders before hidden ones, if the limit cuts.
        level = next.sort((one, other) => one.hidden - other.hidden);
      }
    }
  }

  /** Adds the submodules that a repository names, wherever they lie: git of the outer repository inspects them. */
  async function withSubmodules(found: readonly FoundRepository[]): Promise<readonly FoundRepository[]> {
    const all = [...found];
    const seen = new Set(found.map(({ path }) => path));
    for (let at = 0; at < all.length && all.length < REPOSITORIES_MAX; at += 1) {
      const { path, kind } = all[at] ?? { path: root, kind: "part" };
      const dot = join(path, ".git");
      const directory =
        kind === "link" ? await readGitLink(files, dot, root) : kind === "directory" ? dot : undefined;
      for (const name of directory === undefined ? [] : await inIndex.pathsIn(directory)) {
        const place = join(path, name);
        if (seen.has(place) || !isBelow(path, place)) continue;
        seen.add(place);
        const inside = (await hasNoLinks(files, place, root))
          ? await dotKind(join(place, ".git"))
          : undefined;
        if (inside !== undefined) all.push({ path: place, kind: inside });
      }
    }
    return all;
  }

  async function listing(path: string, before: Listing | undefined): Promise<Listing | undefined> {
    try {
      const info = await files.lstat(path);
      if (info?.kind !== "directory") return undefined;
      const print = fingerprintOf(info);
      if (before?.print === print) return before;
      const entries = await files.list(path);
      const names = new Set(entries.map(({ name }) => name));
      return {
        print,
        folders: entries
          .flatMap(({ name, kind }) => (kind === "directory" && name !== ".git" ? [name] : []))
          .slice(0, ENTRIES_MAX),
        dot: names.has(".git"),
        bare: names.has("HEAD") && (names.has("commondir") || (names.has("objects") && names.has("refs"))),
      };
    } catch {
      return undefined; // access is refused, and a command is refused too
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
    hidden: name !== PACKAGES && (hidden > 0 || name.startsWith(".")) ? hidden + 1 : 0,
  }));
}

function fingerprintOf({ identity, modifiedMs, changedMs }: FileInfo): string {
  return [identity, modifiedMs, changedMs].join(" ");
}
