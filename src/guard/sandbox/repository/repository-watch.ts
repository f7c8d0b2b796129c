import { join } from "node:path";
import { isBelow } from "../../../base/files/below.ts";
import type { FileInfo, Files } from "../../../base/world.ts";
import type { FoundRepository } from "./found-repository.ts";
import { gitDirectories } from "./git-directory.ts";
import { disarmGitDirectory, isGitConfig, settingDigests } from "./git-disarm.ts";
import type { GitLinks } from "./git-links.ts";
import type { RepositoryScan } from "./repository-scan.ts";

/** A repository of the workspace that a command changed, and what was done about it. */
export interface RepositoryChange {
  /** Absolute. */
  readonly path: string;
  readonly isNew: boolean;
  /** Names of removed things that git would have run or obeyed: "core.fsmonitor", "hooks/pre-commit", ".git". */
  readonly removed: readonly string[];
  /** Names of things that could not be removed. */
  readonly notRemoved: readonly string[];
}

/** Checks, after each command, what git outside the sandbox would run in repositories of the workspace (S26). */
export interface RepositoryWatch {
  /** Accepts the current state: somebody other than a command made it. Returns the repositories that are new. */
  accept(): Promise<readonly string[]>;
  /**
   * Removes what git would run or obey in repositories that are new or changed since the previous check. If
   * `isClosed` returns true for a path, no command could write it: the change is somebody else's, and is left alone.
   */
  look(isClosed: (path: string) => boolean): Promise<readonly RepositoryChange[]>;
  /** Returns the known state for JSON, without values of settings. */
  saved(): SavedWatch;
  /** Replaces the known state by a saved one. */
  restore(saved: SavedWatch): void;
}

export interface SavedWatch {
  readonly root: string;
  readonly known: readonly (readonly [
    string,
    Omit<RepositorySnapshot, "parts"> & { readonly parts: readonly WatchedPath[] },
  ])[];
  readonly settings: readonly (readonly [
    string,
    { readonly print: string; readonly settings: readonly string[] },
  ])[];
}

type WatchedPath = readonly [path: string, print: string];

/** Limit for the hooks of one git directory; if there are more, the folder goes as a whole. */
const HOOKS_MAX = 256;

/** Fingerprints of the files that git runs or obeys, by absolute path. */
type WatchedPaths = ReadonlyMap<string, string>;

interface RepositorySnapshot {
  readonly found: FoundRepository;
  /** Absolute paths; the repository's own directory first. */
  readonly directories: readonly string[];
  readonly leadsAway: boolean;
  readonly parts: WatchedPaths;
}

interface WatchDependencies {
  readonly scan: RepositoryScan;
  readonly links: GitLinks;
  /** The workspace, resolved. */
  readonly root: string;
}

export function repositoryWatch(files: Files, dependencies: WatchDependencies): RepositoryWatch {
  return new Watch(files, dependencies);
}

class Watch implements RepositoryWatch {
  readonly #files: Files;
  readonly #scan: RepositoryScan;
  readonly #links: GitLinks;
  readonly #root: string;
  #known: ReadonlyMap<string, RepositorySnapshot> = new Map();
  /** Accepted settings of each configuration, by path. */
  #settings: ReadonlyMap<string, { readonly print: string; readonly settings: ReadonlySet<string> }> =
    new Map();

  constructor(files: Files, { scan, links, root }: WatchDependencies) {
    this.#files = files;
    this.#scan = scan;
    this.#links = links;
    this.#root = root;
  }

  async accept(): Promise<readonly string[]> {
    const before = this.#known;
    this.#known = await this.#see();
    await this.#remember();
    return [...this.#known].flatMap(([key, { found }]) =>
      before.has(key) || found.kind === "part" ? [] : [found.path],
    );
  }

  async look(isClosed: (path: string) => boolean): Promise<readonly RepositoryChange[]> {
    const before = this.#known;
    const now = await this.#see();
    const news: RepositoryChange[] = [];
    for (const [key, seen] of now) {
      const change = await this.#newsOf(seen, before.get(key), isClosed);
      if (change !== undefined) news.push(change);
    }
    this.#known = news.some(({ removed }) => removed.length > 0) ? await this.#see() : now;
    await this.#remember();
    return news;
  }

  saved(): SavedWatch {
    return {
      root: this.#root,
      known: [...this.#known].map(([key, seen]) => [key, { ...seen, parts: [...seen.parts] }]),
      settings: [...this.#settings].map(([path, { print, settings }]) => [
        path,
        { print, settings: [...settings] },
      ]),
    };
  }

  restore({ known, settings }: SavedWatch): void {
    this.#known = new Map(known.map(([key, seen]) => [key, { ...seen, parts: new Map(seen.parts) }]));
    this.#settings = new Map(
      settings.map(([path, { print, settings }]) => [path, { print, settings: new Set(settings) }]),
    );
  }

  async #newsOf(
    { found, directories, leadsAway, parts }: RepositorySnapshot,
    before: RepositorySnapshot | undefined,
    isClosed: (path: string) => boolean,
  ): Promise<RepositoryChange | undefined> {
    const isMade = before === undefined || (before.found.kind === "part" && found.kind !== "part");
    const isNew = isMade && !isClosed(join(found.path, ".git"));
    const changed = [...parts].flatMap(([path, print]) =>
      before?.parts.get(path) === print || isClosed(path) ? [] : [path],
    );
    if (!isNew && changed.length === 0) return undefined;
    const removed: string[] = [];
    const notRemoved: string[] = [];
    if (leadsAway) {
      if (await this.#removes(join(found.path, ".git"))) removed.push(".git");
      else notRemoved.push(".git");
    }
    for (const directory of directories) {
      const disarmed = await disarmGitDirectory(this.#files, {
        directory,
        root: this.#root,
        changed: changed.filter((path) => isIn(directory, path, directories)),
        before: (path) => this.#settings.get(path)?.settings ?? new Set(),
      });
      const named = (name: string) => join(directory.slice((directories[0]?.length ?? 0) + 1), name);
      removed.push(...disarmed.removed.map(named));
      notRemoved.push(...disarmed.notRemoved.map(named));
      if (before?.directories.includes(directory) === true) continue;
      // A command made this folder, and so each link in it, through which git outside would write elsewhere.
      for (const path of await this.#links.linksIn(directory)) {
        const list = (await this.#removes(path)) ? removed : notRemoved;
        list.push(`${named(path.slice(directory.length + 1))} (a link)`);
      }
    }
    const isNothing = removed.length + notRemoved.length === 0;
    if (isNothing && (!isNew || found.kind === "part")) return undefined;
    return { path: found.path, isNew: isNew && found.kind !== "part", removed, notRemoved };
  }

  async #removes(path: string): Promise<boolean> {
    try {
      await this.#files.removeResolved(path);
      return (await this.#files.lstat(path)) === undefined;
    } catch {
      return false; // its permissions were changed: the note asks a person to check
    }
  }

  async #see(): Promise<ReadonlyMap<string, RepositorySnapshot>> {
    const seen = (await this.#scan.find()).map(
      async (found): Promise<readonly [string, RepositorySnapshot]> => {
        const { paths, leadsAway = false } = await gitDirectories(this.#files, found, this.#root);
        const dot = found.kind === "link" ? [join(found.path, ".git")] : [];
        const prints = await Promise.all([this.#prints(dot), ...paths.map((path) => this.#partsOf(path))]);
        const parts = new Map(prints.flatMap((each) => [...each]));
        return [`${found.kind === "bare"} ${found.path}`, { found, directories: paths, leadsAway, parts }];
      },
    );
    return new Map(await Promise.all(seen));
  }

  /** Reads the configurations that have changed since they were last read, and records links in new folders. */
  async #remember(): Promise<void> {
    const seen = [...this.#known.values()];
    const configs = seen.flatMap(({ parts }) => [...parts].filter(([path]) => isGitConfig(path)));
    const entries = configs.map(async ([path, print]) => {
      const before = this.#settings.get(path);
      if (before?.print === print) return [path, before] as const;
      return [path, { print, settings: await settingDigests(this.#files, path) }] as const;
    });
    this.#settings = new Map(await Promise.all(entries));
    await this.#links.know(seen.flatMap(({ directories }) => directories));
  }

  async #partsOf(git: string): Promise<WatchedPaths> {
    const settingsPaths = ["config", "config.worktree", "commondir"].map((name) => join(git, name));
    return await this.#prints([...settingsPaths, ...(await this.#hooksIn(join(git, "hooks")))]);
  }

  /** Returns the hooks that git would run, or the folder itself if they cannot be listed. */
  async #hooksIn(folder: string): Promise<readonly string[]> {
    try {
      const info = await this.#files.lstat(folder);
      if (info === undefined) return [];
      if (info.kind !== "directory") return [folder];
      const entries = await this.#files.list(folder);
      const hooks = entries.filter(({ name, kind }) => kind !== "directory" && !name.endsWith(".sample"));
      return hooks.length > HOOKS_MAX ? [folder] : hooks.map(({ name }) => join(folder, name));
    } catch {
      return [folder]; // git runs a hook by its name, even in a folder that cannot be listed
    }
  }

  async #prints(paths: readonly string[]): Promise<WatchedPaths> {
    const looks = paths.map(async (path) => {
      const info = await this.#infoOf(path);
      return info === undefined ? [] : [[path, fingerprintOf(info)] as const];
    });
    return new Map((await Promise.all(looks)).flat());
  }

  async #infoOf(path: string): Promise<FileInfo | undefined> {
    try {
      return await this.#files.lstat(path);
    } catch {
      return undefined;
    }
  }
}

/** Returns true if no deeper folder of the repository holds the file: some folders lie in others. */
function isIn(directory: string, path: string, directories: readonly string[]): boolean {
  return (
    isBelow(directory, path) && !directories.some((each) => isBelow(directory, each) && isBelow(each, path))
  );
}

function fingerprintOf({ kind, identity, size, modifiedMs, changedMs, mode }: FileInfo): string {
  return [kind, identity, size, modifiedMs, changedMs, mode].join(" ");
}
