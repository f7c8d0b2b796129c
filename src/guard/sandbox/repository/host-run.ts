import { join } from "node:path";
import { below, isBelow } from "../../../base/files/below.ts";
import type { FileInfo, Files } from "../../../base/world.ts";
import type { RepositoryNews, RepositoryWatch } from "./repository-watch.ts";

/** In the root of a workspace: what programs of the host run or obey, often without being told to. */
const NAMES: ReadonlySet<string> = new Set([
  // at a step into the folder, or when an editor, debugger or runtime starts there
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
  // at a login, where the workspace is the home: closed where they are there
  ...[".xsession", ".xinitrc"],
  ...[".gdbinit", ".lldbinit", ".mcp.json", "bunfig.toml", "sitecustomize.py", "conftest.py"],
  // where hooks of git lead
  ...[
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    ".lefthook.yml",
    ".pre-commit-config.yaml",
    ".gitmodules",
  ],
  ...[".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.js", "lint-staged.config.js", ".huskyrc"],
  // package managers and runners of tasks
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
  // elsewhere, with other rights, after a push
  ...[".gitlab-ci.yml", "Jenkinsfile", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml"],
]);

/** Folders of which each file counts. */
const FOLDERS: readonly string[] = [
  ...[".vscode", ".idea", ".idea/runConfigurations", ".zed", ".devcontainer", ".husky"],
  ...[".github/workflows", ".circleci", ".cursor", ".claude", ".gemini", ".codex"],
];

/** In one folder. */
const FILES_MAX = 256;
const ENTRIES_MAX = 10_000;
/** Another name is not repeated: whoever made it may have meant it for the reader of the note. */
const PLAIN_NAME = /^[\w.@+-]{1,80}$/;

export interface HostRunChanges {
  /** Relative to the root. */
  readonly files: readonly string[];
  /** Paths and names as they can be shown, relative to the root. */
  readonly repositories: readonly RepositoryNews[];
}

/** Looks after each command whether it left something that the host will run or obey (S27). */
export interface HostRunWatch {
  /**
   * Returns what is new or changed since the look before, with `RepositoryWatch.look`. The first one returns nothing. Costs a
   * look at the disk for each such file and folder that is there.
   */
  look(isClosed: (path: string) => boolean): Promise<HostRunChanges>;
  /**
   * Takes files, or all that lies there, as known: somebody else than a command wrote them. Absolute paths. Returns whether
   * a repository was among what is new.
   */
  accept(paths?: readonly string[]): Promise<boolean>;
}

/**
 * Watches a closed list of well-known names in the root of a workspace and in a few folders of it, and all of it for
 * repositories. By other names, and files deeper down, nothing is seen: that is told in the threat model.
 */
export function hostRunWatch(files: Files, root: string, repositories: Repositories): HostRunWatch {
  return new Watch(files, root, repositories);
}

type Repositories = Pick<RepositoryWatch, "accept" | "look">;

class Watch implements HostRunWatch {
  readonly #files: Files;
  readonly #root: string;
  /** By path relative to the root: what a file or folder was like at the last look. */
  #known: ReadonlyMap<string, string> | undefined;
  /** What folders held, and what they were like then: they are listed again where they changed. */
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
        .map((news) => shownNews(this.#root, news))
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
    const own = paths.flatMap((path) => below(this.#root, path) || []);
    for (const path of own) {
      const info = await this.#info(path);
      if (info !== undefined && isWatched(path)) known.set(path, printOf(info));
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

  /** What is there of these, and what it is like. */
  async #prints(paths: readonly string[]): Promise<readonly (readonly [path: string, print: string])[]> {
    const watched = paths.slice(0, FILES_MAX);
    const infos = await Promise.all(watched.map((path) => this.#info(path)));
    return watched.flatMap((path, at) => {
      const info = infos[at];
      return info === undefined ? [] : [[path, printOf(info)] as const];
    });
  }

  /** The files of a folder, or, in its place, a link or a file. */
  async #printsIn(folder: string): Promise<readonly (readonly [path: string, print: string])[]> {
    const { print, names } = await this.#list(folder);
    if (print === undefined) return [];
    if (!print.startsWith("directory")) return [[folder, print]];
    return await this.#prints(names.map((name) => `${folder}/${name}`));
  }

  /** What a place is like, and the names in it where it is a folder of that very path. */
  async #list(folder: string): Promise<{ readonly print?: string; readonly names: readonly string[] }> {
    const info = await this.#info(folder);
    if (info === undefined) return { names: [] };
    const print = printOf(info);
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
      return undefined; // what we may not look at, no program of the same user runs
    }
  }
}

function isWatched(path: string): boolean {
  return NAMES.has(path) || FOLDERS.some((folder) => isBelow(folder, path));
}

function printOf({ kind, identity, size, modifiedMs, changedMs, mode }: FileInfo): string {
  return [kind, identity, size, modifiedMs, changedMs, mode].join(" ");
}

/** More are counted only. */
const NAMED_MAX = 8;

/** Returns news with paths and names as they can be shown: relative to the root, or absolute where they lie elsewhere. */
export function shownNews(root: string, { path, isNew, removed, left }: RepositoryNews): RepositoryNews {
  const inRoot = below(root, path);
  return {
    path: shown(inRoot === undefined ? path : inRoot || "."),
    isNew,
    removed: shownNames(removed),
    left: shownNames(left),
  };
}

function shownNames(names: readonly string[]): readonly string[] {
  const more = names.length - NAMED_MAX;
  return [...names.slice(0, NAMED_MAX).map(shownName), ...(more > 0 ? [`${more} more`] : [])];
}

/** A hook's file, a setting or a link; a setting may have a name of the command's choice in its middle. */
function shownName(name: string): string {
  const [, path = name, suffix = ""] = /^(.*?)( \(a link\))?$/s.exec(name) ?? [];
  if (/^lines of [\w.]+ that are not plain$/.test(path)) return path;
  return `${shown(path)}${suffix}`;
}

function shown(path: string): string {
  const parts = path.split("/").map((part) => (part === "" || PLAIN_NAME.test(part) ? part : "…"));
  return parts.join("/");
}
