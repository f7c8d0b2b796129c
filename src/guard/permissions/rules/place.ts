import { below, cleanPath } from "../../../base/files/below.ts";
import { foldedPath } from "../../../tools/containment.ts";
import type { PathUse } from "../../../tools/tool.ts";

/** Where a session works: what relative path rules and the quiet preset are judged against. */
export interface Place {
  /** Absolute and resolved. */
  readonly root: string;
  /** Where tools keep spilled output, readable like the workspace. */
  readonly scratch: string;
  /** Folders elsewhere that are readable like the workspace. */
  readonly readable?: readonly string[];
  /** What `~` stands for in a command, resolved; absent where that is not known. */
  readonly home?: string;
}

/** How a rule writes a path: relative to the workspace where it lies inside, else absolute. */
export function ruleText(path: string, place: Place): string {
  return below(place.root, path) || cleanPath(path);
}

/** The components of a path as a careless file system would compare them: for protecting, never for granting. */
export function foldedComponents(path: string): readonly string[] {
  return foldedPath(path)
    .split("/")
    .filter((component) => component !== "");
}

/** The path that a call uses, the one it was spelled as, and the key that it is another name of (S22). */
export function bothPaths({ path, spelled, linked }: PathUse): readonly string[] {
  return [path, spelled, linked].filter((each) => each !== undefined);
}

/** The paths that must all be granted: all but the spelled one where it does not claim to lie in the workspace. */
export function grantedPaths(use: PathUse, place: Place): readonly string[] {
  return bothPaths(use).filter((path) => path !== use.spelled || below(place.root, path) !== undefined);
}
