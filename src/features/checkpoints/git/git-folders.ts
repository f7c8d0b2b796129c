import { dirname, join, relative, resolve, sep } from "node:path";
import type { Tree } from "../../../base/files/tree.ts";
import { decode } from "../../../base/text/text.ts";

const LINK_BYTES_MAX = 8_192;
const FOLDERS_ABOVE_MAX = 64;
const NO_BYTES = new Uint8Array();

/** Folders of a repository. */
export interface GitFolders {
  /** The top of the working tree. */
  readonly top: string;
  /** Folder with the index. */
  readonly folder: string;
  /** Folder with objects and configuration; differs from `folder` in an additional working tree. */
  readonly common: string;
}

/**
 * Finds the repository that contains a folder, in it or above it; undefined if there is none.
 *
 * A `.git` file names git's folder in its first line, as in an additional working tree or a submodule. It is used
 * only if that folder looks like git's; anything that it names in turn is not followed.
 */
export function findGitFolders(tree: Tree, root: string): GitFolders | undefined {
  let top = root;
  for (let count = 0; count < FOLDERS_ABOVE_MAX; count += 1) {
    const kind = tree.stat(top, ".git")?.kind;
    if (kind === "file") {
      const folder = named(tree, join(top, ".git"), "gitdir: ");
      return folder === undefined ? undefined : placeAt(tree, top, folder);
    }
    // An empty folder of this name is none: a sandbox puts one where a repository could be created.
    const folders = kind === "directory" ? placeAt(tree, top, join(top, ".git")) : undefined;
    if (folders !== undefined) return folders;
    if (dirname(top) === top) return undefined;
    top = dirname(top);
  }
  return undefined;
}

/** Returns the prefix that turns a path below a folder into one below the top of the working tree. */
export function pathPrefix(top: string, root: string): string {
  return top === root ? "" : `${relative(top, root).split(sep).join("/")}/`;
}

function placeAt(tree: Tree, top: string, folder: string): GitFolders | undefined {
  if (tree.stat(folder, "HEAD")?.kind !== "file") return undefined;
  const common = named(tree, join(folder, "commondir"), "") ?? folder;
  return { top, folder, common };
}

/**
 * Returns the folder that the first line of a file names, relative to the file's folder; undefined if it names none.
 */
function named(tree: Tree, path: string, before: string): string | undefined {
  const [folder, name] = [dirname(path), path.slice(dirname(path).length + 1)];
  const isThere = tree.stat(folder, name)?.kind === "file";
  const bytes = isThere ? tree.read(folder, name, LINK_BYTES_MAX) : NO_BYTES;
  const [line = ""] = decode(bytes).split("\n", 1);
  const text = line.startsWith(before) ? line.slice(before.length).trim() : "";
  return text === "" ? undefined : resolve(folder, text);
}
