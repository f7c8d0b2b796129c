import { joinPathText } from "../../../base/files/path-text.ts";
import type { NamedNode, Tree } from "../../../base/files/tree.ts";
import { decode } from "../../../base/text/text.ts";
import { isExportName } from "../../../session/transcript/export-name.ts";
import type { GitRepository } from "../git/git-repository.ts";
import type { IgnoreRules } from "./ignore.ts";
import { isIgnored, parseIgnore } from "./ignore.ts";
import { parentOf } from "./paths.ts";

/** Limit for entries of a folder that git ignores: a larger one is not scanned. */
export const IGNORED_ENTRIES_MAX = 500;
const IGNORE_FILE_BYTES_MAX = 65_536;

const TOO_MANY = "an ignored folder with many files";
/** Reason for git's own folder: never recorded, and never written. */
export const GIT_FOLDER = "git's own folder";
/** Reasons why an existing folder is not scanned. */
export const SKIP_REASONS: ReadonlySet<string> = new Set([TOO_MANY, GIT_FOLDER]);

/** A folder that exists and is not scanned. */
export interface SkippedFolder {
  readonly path: string;
  readonly why: string;
}

/** A sandbox puts an empty folder there, to mount over; it is removed with the session. */
const PLACEHOLDER = ".cinch";

/** Name of a file that a process of cinch left when it was killed while it replaced another. */
const TEMPORARY = /^\..*\.cinch-tmp$/;

export interface SelectionDependencies {
  readonly tree: Tree;
  readonly root: string;
  /** Absolute paths that are never scanned: cinch's own. */
  readonly exclude: readonly string[];
  readonly repository: () => GitRepository | undefined;
}

/** Selects the entries of each folder to scan: never git's own, and no large folders that git ignores. */
export class Selection {
  readonly #dependencies: SelectionDependencies;
  /** Rules that apply in each folder, outermost first. */
  readonly #rules = new Map<string, readonly IgnoreRules[]>();
  readonly #ignored = new Set<string>();
  /** Folders that are not scanned, by their parent folder. */
  readonly #left = new Map<string, readonly SkippedFolder[]>();

  constructor(dependencies: SelectionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns what was left out, also in folders that no longer exist. */
  *skippedFolders(): Iterable<SkippedFolder> {
    for (const paths of this.#left.values()) yield* paths;
  }

  select(folder: string, entries: readonly NamedNode[]): readonly NamedNode[] {
    const { root, exclude } = this.#dependencies;
    const rules = this.#rulesOf(folder, entries);
    const skippedFolders: SkippedFolder[] = [];
    const selected = entries.filter(({ name, kind }) => {
      // An export of a session belongs to the user: it is not a change by anybody.
      if (TEMPORARY.test(name) || (kind === "file" && isExportName(name))) return false;
      const path = folder === "" ? name : `${folder}/${name}`;
      if (name === ".git") {
        if (kind !== "directory" || this.#dependencies.tree.count(root, path, 1) > 0)
          skippedFolders.push({ path, why: GIT_FOLDER });
        return false;
      }
      if (exclude.includes(joinPathText(root, path))) return false;
      if (path === PLACEHOLDER && kind === "directory" && this.#dependencies.tree.count(root, path, 1) === 0)
        return false;
      if (kind !== "directory") return true;
      if (!this.#ignored.has(folder) && !isIgnored(path, true, rules)) return true;
      if (this.#dependencies.repository()?.tracksIn(path) !== true && this.#isLarge(path)) {
        skippedFolders.push({ path, why: TOO_MANY });
        return false;
      }
      this.#ignored.add(path);
      return true;
    });
    if (skippedFolders.length > 0) this.#left.set(folder, skippedFolders);
    else this.#left.delete(folder);
    return selected;
  }

  #isLarge(path: string): boolean {
    const { tree, root } = this.#dependencies;
    return tree.count(root, path, IGNORED_ENTRIES_MAX + 1) > IGNORED_ENTRIES_MAX;
  }

  #rulesOf(folder: string, entries: readonly NamedNode[]): readonly IgnoreRules[] {
    const above = folder === "" ? [] : (this.#rules.get(parentOf(folder)) ?? []);
    const hasOwn = entries.some(({ name, kind }) => name === ".gitignore" && kind === "file");
    const ownRules = hasOwn ? [this.#read(folder)] : [];
    const rules = ownRules.length === 0 ? above : [...above, ...ownRules];
    this.#rules.set(folder, rules);
    return rules;
  }

  #read(folder: string): IgnoreRules {
    const { tree, root } = this.#dependencies;
    const path = folder === "" ? ".gitignore" : `${folder}/.gitignore`;
    try {
      return parseIgnore(folder, decode(tree.read(root, path, IGNORE_FILE_BYTES_MAX)));
    } catch {
      return { folder, rules: [] }; // unreadable: it ignores nothing
    }
  }
}
