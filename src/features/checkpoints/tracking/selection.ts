import { pathBelow } from "../../../base/files/path-text.ts";
import type { NamedNode, Tree } from "../../../base/files/tree.ts";
import { decode } from "../../../base/text/text.ts";
import { isExportName } from "../../../session/transcript/export-name.ts";
import type { Repository } from "../git/git.ts";
import type { IgnoreRules } from "./ignore.ts";
import { isIgnored, parseIgnore } from "./ignore.ts";
import { parentOf } from "./place.ts";

/** A folder that git ignores is looked into where it holds no more than this. */
export const IGNORED_ENTRIES_MAX = 500;
const IGNORE_FILE_BYTES_MAX = 65_536;

const TOO_MANY = "an ignored folder with many files";
/** What is in it is git's own affair: it is never kept, and never written. */
export const GITS_OWN = "git's own folder";
/** Why something that is there is not looked into. */
export const LEFT_OUT: ReadonlySet<string> = new Set([TOO_MANY, GITS_OWN]);

/** Something that is there and is not looked into. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** A sandbox puts an empty folder there, to mount over; it goes with the session. */
const PLACEHOLDER = ".cinch";

/** What a process of cinch has left that was killed while it replaced a file. */
const TEMPORARY = /^\..*\.cinch-tmp$/;

export interface SelectionParts {
  readonly tree: Tree;
  readonly root: string;
  /** Absolute paths that are never looked into: cinch's own. */
  readonly exclude: readonly string[];
  readonly repository: () => Repository | undefined;
}

/** Which entries of each folder are looked at: never git's own, and no large folders that git ignores. */
export class Selection {
  readonly #parts: SelectionParts;
  /** The rules that count in each folder, outermost first. */
  readonly #rules = new Map<string, readonly IgnoreRules[]>();
  readonly #ignored = new Set<string>();
  /** Folders that are not looked into, by the folder that they are in. */
  readonly #left = new Map<string, readonly LeftOut[]>();

  constructor(parts: SelectionParts) {
    this.#parts = parts;
  }

  /** What was left out, also in folders that are there no more. */
  *left(): Iterable<LeftOut> {
    for (const paths of this.#left.values()) yield* paths;
  }

  select(folder: string, entries: readonly NamedNode[]): readonly NamedNode[] {
    const { root, exclude } = this.#parts;
    const rules = this.#rulesOf(folder, entries);
    const left: LeftOut[] = [];
    const selected = entries.filter(({ name, kind }) => {
      // What a person has cinch write of a session is theirs: it is no work on the files, by nobody.
      if (TEMPORARY.test(name) || (kind === "file" && isExportName(name))) return false;
      const path = folder === "" ? name : `${folder}/${name}`;
      if (name === ".git") {
        if (kind !== "directory" || this.#parts.tree.count(root, path, 1) > 0)
          left.push({ path, why: GITS_OWN });
        return false;
      }
      if (exclude.includes(pathBelow(root, path))) return false;
      if (path === PLACEHOLDER && kind === "directory" && this.#parts.tree.count(root, path, 1) === 0)
        return false;
      if (kind !== "directory") return true;
      if (!this.#ignored.has(folder) && !isIgnored(path, true, rules)) return true;
      if (this.#parts.repository()?.tracksIn(path) !== true && this.#isLarge(path)) {
        left.push({ path, why: TOO_MANY });
        return false;
      }
      this.#ignored.add(path);
      return true;
    });
    if (left.length > 0) this.#left.set(folder, left);
    else this.#left.delete(folder);
    return selected;
  }

  #isLarge(path: string): boolean {
    const { tree, root } = this.#parts;
    return tree.count(root, path, IGNORED_ENTRIES_MAX + 1) > IGNORED_ENTRIES_MAX;
  }

  #rulesOf(folder: string, entries: readonly NamedNode[]): readonly IgnoreRules[] {
    const above = folder === "" ? [] : (this.#rules.get(parentOf(folder)) ?? []);
    const hasOwn = entries.some(({ name, kind }) => name === ".gitignore" && kind === "file");
    const own = hasOwn ? [this.#read(folder)] : [];
    const rules = own.length === 0 ? above : [...above, ...own];
    this.#rules.set(folder, rules);
    return rules;
  }

  #read(folder: string): IgnoreRules {
    const { tree, root } = this.#parts;
    const path = folder === "" ? ".gitignore" : `${folder}/.gitignore`;
    try {
      return parseIgnore(folder, decode(tree.read(root, path, IGNORE_FILE_BYTES_MAX)));
    } catch {
      return { folder, rules: [] }; // it cannot be read: nothing is ignored by it
    }
  }
}
