import { normalize } from "node:path";

/** Where a session works: what relative path rules and the quiet preset are judged against. */
export interface Place {
  /** Absolute and resolved. */
  readonly root: string;
  /** Where tools keep spilled output, readable like the workspace. */
  readonly scratch: string;
}

/**
 * The path of `path` below `directory`, "" for the directory itself, undefined where it lies elsewhere.
 *
 * Compared by whole components, so that /w/app does not hold /w/app-secret. Both must be absolute and resolved.
 */
export function below(directory: string, path: string): string | undefined {
  const base = clean(directory);
  const full = clean(path);
  if (full === base) return "";
  const start = base === "/" ? "/" : `${base}/`;
  return full.startsWith(start) ? full.slice(start.length) : undefined;
}

/** How a rule writes a path: relative to the workspace where it lies inside, else absolute. */
export function ruleText(path: string, place: Place): string {
  return below(place.root, path) || clean(path);
}

/**
 * The components of a path as a careless file system would compare them: case, width and trailing dots, blanks
 * and stream names do not count. For protecting a path, never for granting one.
 */
export function foldedComponents(path: string): readonly string[] {
  return path
    .normalize("NFKC")
    .toLowerCase()
    .split(/[/\\]/)
    .map((component) => component.replace(/:.*$/s, "").replace(/[. ]+$/, ""))
    .filter((component) => component !== "");
}

/** An absolute path without `.`, `..`, doubled and trailing slashes. */
export function clean(path: string): string {
  const normal = normalize(path);
  return normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
}
