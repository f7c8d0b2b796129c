/**
 * Returns the path of `path` relative to `folder`: "" for the folder itself, undefined if it is elsewhere.
 *
 * Compares whole components, so `/w/app` does not contain `/w/app-secret`, and `/` contains every absolute path. `.`,
 * `..`, doubled and trailing slashes are removed first. Links are not followed: both paths must be resolved already.
 * Case is significant, so on a disk that ignores case another spelling counts as outside, which asks instead of
 * allowing (S21, S25).
 */
export function relativeWithin(folder: string, path: string): string | undefined {
  const base = cleanPath(folder);
  const full = cleanPath(path);
  if (full === base) return "";
  if (base === "") return full.startsWith("/") || full === ".." || full.startsWith("../") ? undefined : full;
  const start = base === "/" ? "/" : `${base}/`;
  return full.startsWith(start) ? full.slice(start.length) : undefined;
}

/** Returns true if `path` is `folder` or below it. Rules: `below`. */
export function isWithin(folder: string, path: string): boolean {
  return relativeWithin(folder, path) !== undefined;
}

/** Returns true if `path` is below `folder` and is not the folder itself. Rules: `below`. */
export function isBelow(folder: string, path: string): boolean {
  return (relativeWithin(folder, path) ?? "") !== "";
}

const UNCLEAN = /\/\/|.\/$|(?:^|\/)\.{1,2}(?:\/|$)/;
/** Beginning of an absolute path of Windows; paths of other systems never begin like that. */
const OF_WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** Returns a path without `.`, `..`, doubled and trailing slashes. The current folder, relative to itself, is "". */
export function cleanPath(input: string): string {
  const path = OF_WINDOWS.test(input) ? input.replaceAll("\\", "/") : input;
  if (!UNCLEAN.test(path)) return path;
  const isAbsolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  return `${isAbsolute ? "/" : ""}${parts.join("/")}`;
}
