import { isAbsolute } from "node:path";
import { isWithin } from "../base/files/below.ts";

/**
 * Tells whether a path is the root or lies below it, as `isWithin` does. A path that is not absolute is inside nothing.
 */
export function isInside(root: string, path: string): boolean {
  return isAbsolute(root) && isAbsolute(path) && isWithin(root, path);
}

/**
 * A path in the one spelling that every disk would take for the same file, for comparing with a protected name.
 *
 * Case, Unicode form, invisible characters, trailing dots and spaces and NTFS stream names are folded away. Two files
 * that this disk keeps apart may fold to one: use it to protect, never to allow (S25).
 */
export function foldedPath(path: string): string {
  return path.split(/[/\\]/).map(foldedName).join("/");
}

/** A name in which there is nothing to fold but its case, as nearly all are. */
const ORDINARY_NAME = /^\.?[\w-]+(?:\.[\w-]+)*$/;

function foldedName(name: string): string {
  if (ORDINARY_NAME.test(name)) return name.toLowerCase();
  const plain = name
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replace(/:.*$/s, "");
  if (/^\.*$/.test(plain)) return plain; // "." and ".." are no names with trailing dots
  return plain.replace(/[. ]+$/, "").toLowerCase();
}
