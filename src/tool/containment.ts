import { isAbsolute, relative, sep } from "node:path";

/**
 * Tells whether a path is the root or lies below it, component by component: `/w/app-secret` is not inside `/w/app`.
 *
 * Both must be absolute and resolved; a path that is not absolute is inside nothing. Letters are compared as they are,
 * so on a disk that ignores case another spelling counts as outside, which asks instead of allowing (S21, S25).
 */
export function isInside(root: string, path: string): boolean {
  if (!isAbsolute(root) || !isAbsolute(path)) return false;
  const way = relative(root, path);
  return way === "" || (!isAbsolute(way) && way.split(sep)[0] !== "..");
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
