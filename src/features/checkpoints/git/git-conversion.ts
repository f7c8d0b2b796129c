import { join } from "node:path";
import type { Tree } from "../../../base/files/tree.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf, FileTooLarge, PathMoved } from "../../../base/world.ts";
import type { GitFolders } from "./git-folders.ts";

const FILE_BYTES_MAX = 1024 * 1024;
/** Limit for attribute files: a repository with more counts as one that converts. */
const ATTRIBUTE_FILES_MAX = 1_000;

/** Settings by which git converts files at checkout: content and object then differ. */
const CONVERTING_CONFIG = /autocrlf|\beol\b|attributesfile/i;
const CONVERTING_ATTRIBUTES = /\b(?:text|crlf|eol|ident|filter|encoding|working-tree-encoding)\b/;

export interface ConversionCheck {
  readonly files: Files;
  readonly tree: Tree;
  readonly folders: GitFolders;
  /** Tracked paths. */
  readonly paths: Iterable<string>;
  /** Configuration and attribute files of the user's own git. */
  readonly configFiles: readonly string[];
  readonly pause: () => Promise<void>;
}

/** Returns true if git may have written other bytes into the working tree than the objects hold; true in doubt. */
export async function mayConvert({ tree, folders, paths, ...check }: ConversionCheck): Promise<boolean> {
  const { top, folder, common } = folders;
  const configs = new Set([join(folder, "config"), join(common, "config"), join(folder, "config.worktree")]);
  for (const path of configs) if (treeHolds(tree, "/", path.slice(1), CONVERTING_CONFIG)) return true;
  for (const path of check.configFiles) {
    const pattern = path.endsWith("attributes") ? CONVERTING_ATTRIBUTES : CONVERTING_CONFIG;
    if (await ownHolds(check.files, path, pattern)) return true;
  }
  if (treeHolds(tree, common, "info/attributes", CONVERTING_ATTRIBUTES)) return true;
  const tracked = [".gitattributes"];
  for (const path of paths) {
    if (!path.endsWith("/.gitattributes")) continue;
    if (tracked.length === ATTRIBUTE_FILES_MAX) return true;
    tracked.push(path);
  }
  for (const path of tracked) {
    if (treeHolds(tree, top, path, CONVERTING_ATTRIBUTES)) return true;
    await check.pause();
  }
  return false;
}

/** Returns true if object names are made in another way than is supported here. */
export function usesOtherObjectNames(tree: Tree, common: string): boolean {
  return treeHolds(tree, common, "config", /objectformat/i);
}

/**
 * Returns true if a file contains a pattern. Follows no link, and reads nothing beyond the root. A file that is too
 * large, or unreadable, counts as one that contains it.
 */
function treeHolds(tree: Tree, root: string, path: string, pattern: RegExp): boolean {
  const stat = tree.stat(root, path);
  if (stat === undefined) return false;
  if (stat.kind !== "file" || stat.size > FILE_BYTES_MAX) return true;
  try {
    const bytes = tree.read(root, path, FILE_BYTES_MAX + 1);
    return bytes.length > FILE_BYTES_MAX || pattern.test(decode(bytes));
  } catch (thrown) {
    if (thrown instanceof PathMoved || codeOf(thrown) !== undefined) return true;
    throw thrown;
  }
}

/** Returns true if one of the user's own files contains a pattern. Such a file may be a link. */
async function ownHolds(files: Files, path: string, pattern: RegExp): Promise<boolean> {
  try {
    if ((await files.stat(path))?.kind !== "file") return false;
    return pattern.test(decode(await files.read(path, FILE_BYTES_MAX)));
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return true;
    const code = codeOf(thrown);
    // git cannot read it either then.
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR" || code === "ELOOP") return false;
    throw thrown;
  }
}
