import { basename } from "node:path";
import { relativeWithin } from "../../base/files/below.ts";

/**
 * Returns a predicate for files below the root that match one of these globs: by name, or by path if the glob has
 * a slash.
 */
export function fileMatcher(globs: readonly string[], root: string): (path: string) => boolean {
  const patterns = globs.map((glob) => ({ isPath: glob.includes("/"), glob: new Bun.Glob(glob) }));
  return (path) => {
    const place = relativeWithin(root, path);
    if (place === undefined) return false;
    return patterns.some(({ isPath, glob }) => glob.match(isPath ? place : basename(path)));
  };
}
