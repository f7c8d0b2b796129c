import { join } from "node:path";
import { decode } from "../base/text.ts";
import type { FileInfo, Files } from "../base/world.ts";
import { configKeys, keysThatRun } from "./git-config.ts";
import type { FoundRepository, RepositoryScan } from "./repository-scan.ts";

/** What came to be in a repository below the workspace since the look before. */
export interface RepositoryNews {
  /** Absolute. */
  readonly path: string;
  readonly isNew: boolean;
  /**
   * What git would run or obey there: hooks and settings by name. Of a new repository all that there is; of another what
   * changed.
   */
  readonly runs: readonly string[];
}

/** Looks after each command at what git outside of the sandbox would run of repositories below the workspace (S26). */
export interface RepositoryWatch {
  /** The first look answers nothing. */
  look(): Promise<readonly RepositoryNews[]>;
}

/** Of these the hooks and the configuration are compared; of the others only that they are there. */
const COMPARED_MAX = 128;
const HOOKS_MAX = 64;
const CONFIG_BYTES_MAX = 65_536;
const NAMED_MAX = 8;

/** By name, what each part of a repository was like that git runs or obeys. */
type Parts = ReadonlyMap<string, string>;

export function repositoryWatch(files: Files, scan: RepositoryScan): RepositoryWatch {
  let known: ReadonlyMap<string, Parts> | undefined;

  async function look(): Promise<readonly RepositoryNews[]> {
    const found = await scan.find();
    const parts = await Promise.all(
      found.map((each, at) => (at < COMPARED_MAX ? partsOf(each) : new Map<string, string>())),
    );
    const before = known;
    known = new Map(found.map(({ path }, at) => [path, parts[at] ?? new Map()]));
    if (before === undefined) return [];
    const news = found.map(async (each, at): Promise<readonly RepositoryNews[]> => {
      const { path } = each;
      const now = parts[at] ?? new Map<string, string>();
      const then = before.get(path);
      const changed = [...now].filter(([name, print]) => then?.get(name) !== print).map(([name]) => name);
      if (then !== undefined && changed.length === 0) return [];
      const runs = then === undefined ? await runsIn(each, changed) : changed;
      return [{ path, isNew: then === undefined, runs: runs.slice(0, NAMED_MAX) }];
    });
    return (await Promise.all(news)).flat();
  }

  async function partsOf({ path, kind }: FoundRepository): Promise<Parts> {
    const git = kind === "bare" ? path : join(path, ".git");
    if (kind === "link") return await prints(path, [".git"]);
    const hooks = (await names(join(git, "hooks")))
      .filter((name) => !name.endsWith(".sample"))
      .slice(0, HOOKS_MAX)
      .map((name) => `hooks/${name}`);
    return await prints(git, ["config", "config.worktree", "commondir", ...hooks]);
  }

  async function prints(folder: string, all: readonly string[]): Promise<Parts> {
    const looks = all.map(async (name) => {
      const info = await infoOf(join(folder, name));
      return info === undefined ? [] : [[name, printOf(info)] as const];
    });
    return new Map((await Promise.all(looks)).flat());
  }

  /** A new repository has a configuration, which says nothing by itself. */
  async function runsIn(
    { path, kind }: FoundRepository,
    parts: readonly string[],
  ): Promise<readonly string[]> {
    const git = kind === "bare" ? path : join(path, ".git");
    const runs = parts.map(async (name) => {
      if (name === "config" || name === "config.worktree") return await settingsIn(join(git, name), name);
      return name === ".git" ? [] : [name];
    });
    return (await Promise.all(runs)).flat();
  }

  async function settingsIn(path: string, name: string): Promise<readonly string[]> {
    try {
      const keys = configKeys(decode(await files.read(path, CONFIG_BYTES_MAX)));
      if (keys === undefined) return [name];
      return [...new Set([...keysThatRun(keys), ...keys.filter((key) => key === "core.hookspath")])];
    } catch {
      return [name]; // what cannot be read may say anything
    }
  }

  async function names(folder: string): Promise<readonly string[]> {
    try {
      return (await files.list(folder)).map(({ name }) => name);
    } catch {
      return []; // there are none, or none that a program of the same user could run
    }
  }

  async function infoOf(path: string): Promise<FileInfo | undefined> {
    try {
      return await files.lstat(path);
    } catch {
      return undefined;
    }
  }

  return { look };
}

function printOf({ kind, identity, size, modifiedMs, changedMs, mode }: FileInfo): string {
  return [kind, identity, size, modifiedMs, changedMs, mode].join(" ");
}
