import { isAbsolute } from "node:path";
import { isWithin } from "../base/files/below.ts";

/** Returns true if a path is the root or below it, as `isWithin` does. A relative path is inside nothing. */
export function isInside(root: string, path: string): boolean {
  return isAbsolute(root) && isAbsolute(path) && isWithin(root, path);
}

/** Returns true if a path is in the workspace: in its root or an added folder. */
export function isInWorkspace(
  { root, added = [] }: { readonly root: string; readonly added?: readonly string[] },
  path: string,
): boolean {
  return isInside(root, path) || added.some((folder) => isInside(folder, path));
}

/**
 * Folds a path to the one spelling that any disk would accept for the same file, to compare it with a protected name.
 *
 * Folds case, Unicode form, invisible characters, trailing dots and spaces, and NTFS stream names. Two files that
 * this disk distinguishes may fold to one: use it to protect, never to allow (S25).
 */
export function foldPath(path: string): string {
  return path.split(/[/\\]/).map(foldName).join("/");
}

/** A name that needs only its case folded, as nearly all do. */
const ORDINARY_NAME = /^\.?[\w-]+(?:\.[\w-]+)*$/;

function foldName(name: string): string {
  if (ORDINARY_NAME.test(name)) return name.toLowerCase();
  const plain = name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replace(/:.*$/s, "");
  if (/^\.*$/.test(plain)) return plain; // "." and ".." are no names with trailing dots
  return plain.replace(/[. ]+$/, "").toLowerCase();
}
