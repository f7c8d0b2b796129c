import { join } from "node:path";
import { isBelow, relativeWithin } from "../../../base/files/below.ts";
import type { FileInfo, Files } from "../../../base/world.ts";
import type { RepositoryChange, RepositoryWatch } from "./repository-watch.ts";

/** Names in the root of a workspace that programs of the host run or obey, often unasked. */
const NAMES: ReadonlySet<string> = new Set([
  // on entering the folder, or when an editor, debugger or runtime starts there
  ...[
    ".envrc",
    "mise.toml",
    ".mise.toml",
    ".tool-versions",
    ".nvmrc",
    ".exrc",
    ".vimrc",
    ".nvimrc",
    ".nvim.lua",
    ".tmux.conf",
    ".inputrc",
  ],
  // at a login, if the workspace is the home: closed if they exist
  ...[".xsession", ".xinitrc"],
  ...[".gdbinit", ".lldbinit", ".mcp.json", "bunfig.toml", "sitecustomize.py", "conftest.py"],
  // read by git hooks
  ...[
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    ".lefthook.yml",
    ".pre-commit-config.yaml",
    ".gitmodules",
  ],
  ...[".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.js", "lint-staged.config.js", ".huskyrc"],
  // package managers and task runners
  ...[
    "package.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "setup.py",
    "tox.ini",
    "noxfile.py",
  ],
  ...["Makefile", "makefile", "GNUmakefile", "justfile", ".justfile", "Taskfile.yml", "Rakefile", "build.rs"],
  ...["gradlew", "mvnw", "docker-compose.yml", "compose.yaml", "Vagrantfile"],
  // run elsewhere, with other rights, after a push
  ...[".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml"],
]);

/** Folders in which each file counts. */
const FOLDERS: readonly string[] = [
  ...[".vscode", ".idea", ".idea/runConfigurations", ".zed", ".devcontainer", ".husky"],
  ...[".github/workflows", ".circleci", ".cursor", ".claude", ".gemini", ".codex"],
];

/** Limit for one folder. */
const FILES_MAX = 256;
const ENTRIES_MAX = 10_000;
/** Any other name is not repeated: it may have been chosen as text for the reader of the note. */
const PLAIN_NAME = /^[\w.@+-]{1,80}$/;

export interface HostRunChanges {
  /** Relative to the root. */
  readonly files: readonly string[];
  /** Paths and names in displayable form, relative to the root. */
  readonly repositories: readonly RepositoryChange[];
}

/** Checks, after each command, whether it left something that the host will run or obey (S27). */
export interface HostRunWatch {
  /**
   * Returns what is new or changed since the previous check, including `RepositoryWatch.look`. The first check
   * returns nothing. Costs one file lookup for each such file and folder that exists.
   */
  look(isClosed: (path: string) => boolean): Promise<HostRunChanges>;
  /**
   * Accepts the given files, or all, as known: somebody other than a command wrote them. Paths are absolute. Returns
   * true if a repository was among what is new.
   */
  accept(paths?: readonly string[]): Promise<boolean>;
}

/**
 * Watches well-known names in the root of a workspace and in a few of its folders, and all of the workspace for
 * repositories. Other names, and files deeper down, are not seen, as the threat model says.
 */
export function hostRunWatch(files: Files, root: string, repositories: Repositories): HostRunWatch {
  return new Watch(files, root, repositories);
}

type Repositories = Pick<RepositoryWatch, "accept" | "look">;

class Watch implements HostRunWatch {
  readonly #files: Files;
  readonly #root: string;
  /** Fingerprint of each file or folder at the last check, by path relative to the root. */
  #known: ReadonlyMap<string, string> | undefined;
  /** Names in each folder with the fingerprint of then: a folder is listed again if that changed. */
  readonly #lists = new Map<string, { readonly print: string; readonly names: readonly string[] }>();
  readonly #repositories: Repositories;

  constructor(files: Files, root: string, repositories: Repositories) {
    this.#files = files;
    this.#root = root;
    this.#repositories = repositories;
  }

  async look(isClosed: (path: string) => boolean): Promise<HostRunChanges> {
    const before = this.#known;
    if (before === undefined) {
      await Promise.all([this.#see(), this.#repositories.accept()]);
      return { files: [], repositories: [] };
    }
    const [, repositories] = await Promise.all([this.#see(), this.#repositories.look(isClosed)]);
    const changed = [...(this.#known ?? [])].filter(([path, print]) => before.get(path) !== print);
    return {
      files: [...new Set(changed.map(([path]) => shown(path)))].sort(),
      repositories: repositories
        .map((news) => displayedChange(this.#root, news))
        .sort((one, other) => (one.path < other.path ? -1 : 1)),
    };
  }

  async accept(paths?: readonly string[]): Promise<boolean> {
    if (this.#known === undefined) return false;
    if (paths === undefined) {
      const [, repositories] = await Promise.all([this.#see(), this.#repositories.accept()]);
      return repositories.length > 0;
    }
    const known = new Map(this.#known);
    const relativePaths = paths.flatMap((path) => relativeWithin(this.#root, path) || []);
    for (const path of relativePaths) {
      const info = await this.#info(path);
      if (info !== undefined && isWatched(path)) known.set(path, fingerprintOf(info));
    }
    this.#known = known;
    return false;
  }

  async #see(): Promise<void> {
    const { names } = await this.#list("");
    const there = new Set(names);
    const folders = FOLDERS.filter((folder) => there.has(folder.split("/")[0] ?? folder));
    const [inRoot, inFolders] = await Promise.all([
      this.#prints(names.filter((name) => NAMES.has(name))),
      Promise.all(folders.map((folder) => this.#printsIn(folder))),
    ]);
    const found = [...inRoot, ...inFolders.flat()];
    this.#known = new Map(found.filter(([, print]) => !print.startsWith("directory")));
  }

  /** Returns the fingerprints of those paths that exist. */
  async #prints(paths: readonly string[]): Promise<readonly (readonly [path: string, print: string])[]> {
    const watched = paths.slice(0, FILES_MAX);
    const infos = await Promise.all(watched.map((path) => this.#info(path)));
    return watched.flatMap((path, at) => {
      const info = infos[at];
      return info === undefined ? [] : [[path, fingerprintOf(info)] as const];
    });
  }

  /** Returns the files of a folder, or the link or file that stands at its path. */
  async #printsIn(folder: string): Promise<readonly (readonly [path: string, print: string])[]> {
    const { print, names } = await this.#list(folder);
    if (print === undefined) return [];
    if (!print.startsWith("directory")) return [[folder, print]];
    return await this.#prints(names.map((name) => `${folder}/${name}`));
  }

  /** Returns the fingerprint of a path, and the names in it if it is a folder at that very path. */
  async #list(folder: string): Promise<{ readonly print?: string; readonly names: readonly string[] }> {
    const info = await this.#info(folder);
    if (info === undefined) return { names: [] };
    const print = fingerprintOf(info);
    if (info.kind !== "directory") return { print, names: [] };
    const known = this.#lists.get(folder);
    if (known?.print === print) return known;
    const entries = await this.#files.list(join(this.#root, folder));
    const listed = { print, names: entries.slice(0, ENTRIES_MAX).map(({ name }) => name) };
    this.#lists.set(folder, listed);
    return listed;
  }

  async #info(path: string): Promise<FileInfo | undefined> {
    try {
      return await this.#files.lstat(join(this.#root, path));
    } catch {
      return undefined; // access is refused, so no program of the same user runs it
    }
  }
}

function isWatched(path: string): boolean {
  return NAMES.has(path) || FOLDERS.some((folder) => isBelow(folder, path));
}

function fingerprintOf({ kind, identity, size, modifiedMs, changedMs, mode }: FileInfo): string {
  return [kind, identity, size, modifiedMs, changedMs, mode].join(" ");
}

/** Limit for named items; further ones are counted. */
const NAMED_MAX = 8;

/** Returns a change with displayable paths and names: relative to the root, or absolute if outside it. */
export function displayedChange(
  root: string,
  { path, isNew, removed, notRemoved }: RepositoryChange,
): RepositoryChange {
  const inRoot = relativeWithin(root, path);
  return {
    path: shown(inRoot === undefined ? path : inRoot || "."),
    isNew,
    removed: shownNames(removed),
    notRemoved: shownNames(notRemoved),
  };
}

function shownNames(names: readonly string[]): readonly string[] {
  const more = names.length - NAMED_MAX;
  return [...names.slice(0, NAMED_MAX).map(shownName), ...(more > 0 ? [`${more} more`] : [])];
}

/** Renders the name of a hook, setting or link. The middle of a setting's name may be of the command's choice. */
function shownName(name: string): string {
  const [, path = name, suffix = ""] = /^(.*?)( \(a link\))?$/s.exec(name) ?? [];
  if (/^lines of [\w.]+ that are not plain$/.test(path)) return path;
  return `${shown(path)}${suffix}`;
}

function shown(path: string): string {
  const parts = path.split("/").map((part) => (part === "" || PLAIN_NAME.test(part) ? part : "…"));
  return parts.join("/");
}
