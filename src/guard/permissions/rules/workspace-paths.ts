import { cleanPath, isWithin, relativeWithin } from "../../../base/files/below.ts";
import { foldPath } from "../../../tools/containment.ts";
import type { PathUse } from "../../../tools/tool.ts";

/** Paths of a session's workspace, against which relative path rules and read-only calls are judged. */
export interface WorkspacePaths {
  /** Absolute and resolved. */
  readonly root: string;
  /** Further folders in which calls are judged as in the root. Absolute and resolved. */
  readonly added?: readonly string[];
  /** Folder for spilled output of tools, readable like the workspace. */
  readonly scratch: string;
  /** Further folders that are readable like the workspace. */
  readonly readable?: readonly string[];
  /** Folders that agents of other sessions may write. Absolute and resolved. */
  readonly writable?: readonly string[];
  /** Home directory for `~` in a command, resolved; absent if unknown. */
  readonly home?: string;
}

/** Returns the root and the added folders. */
export function foldersOf({ root, added = [] }: Pick<WorkspacePaths, "root" | "added">): readonly string[] {
  return [root, ...added];
}

/** Returns the folders that agents may write: those of this session, and those of others. */
export function agentFolders(workspace: WorkspacePaths): readonly string[] {
  return [...foldersOf(workspace), workspace.scratch, ...(workspace.writable ?? [])];
}

/** Returns the folders that known reads may read. */
export function readableFolders(workspace: WorkspacePaths): readonly string[] {
  return [...foldersOf(workspace), workspace.scratch, ...(workspace.readable ?? [])];
}

/** Returns true if a path is in the root or an added folder. */
export function isInFolders(workspace: Pick<WorkspacePaths, "root" | "added">, path: string): boolean {
  return foldersOf(workspace).some((folder) => isWithin(folder, path));
}

/** Returns a path as a rule spells it: relative to the workspace if it lies inside, otherwise absolute. */
export function rulePath(path: string, workspace: WorkspacePaths): string {
  return relativeWithin(workspace.root, path) || cleanPath(path);
}

/**
 * Returns the components of a path as a case-insensitive file system would compare them: for protecting, never
 * for granting.
 */
export function foldedComponents(path: string): readonly string[] {
  return foldPath(path)
    .split("/")
    .filter((component) => component !== "");
}

/** Returns the path that a call uses, the path as it was spelled, and the key of which it is another name (S22). */
export function pathsOfUse({ path, spelled, linked }: PathUse): readonly string[] {
  return [path, spelled, linked].filter((each) => each !== undefined);
}

/**
 * Returns the paths that must all be granted: all but the spelled one if that does not claim to lie in the workspace.
 */
export function grantedPaths(use: PathUse, workspace: WorkspacePaths): readonly string[] {
  return pathsOfUse(use).filter((path) => path !== use.spelled || isInFolders(workspace, path));
}
