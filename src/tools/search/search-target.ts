import { basename, dirname, join, relative } from "node:path";
import { PathMoved } from "../../base/world.ts";
import { isInside } from "../containment.ts";
import type { ResolvedPath } from "../paths.ts";
import { escapeControls, fileFailure, resolvePath } from "../paths.ts";
import type { CallTarget, HiddenPart, ToolContext, Workspace } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/** Saved output is at most half of this. */
const KEPT_BYTES_MAX = 128 * 1024 * 1024;

/** Resolved target of a search: a directory, or one file in it. */
export interface SearchTarget {
  readonly directory: string;
  /** Name of the one file that is searched. */
  readonly file?: string;
  /** Bytes of that file. */
  readonly size?: number;
  readonly target: CallTarget;
  readonly exists: boolean;
  readonly shown: string;
}

/** @throws ToolFailure if the path cannot be resolved. */
export async function resolveSearchTarget(path: string, context: ToolContext): Promise<SearchTarget> {
  const found = await resolvePath(path, context);
  return {
    ...(found.info?.kind === "file"
      ? { directory: dirname(found.path), file: basename(found.path), size: found.info.size }
      : { directory: found.path }),
    target: targetOf(found),
    exists: found.info !== undefined,
    shown: escapeControls(found.shown),
  };
}

function targetOf({ path, spelled }: ResolvedPath): CallTarget {
  return {
    kind: "paths",
    paths: [{ path, access: "read", ...(spelled === path ? {} : { spelled }) }],
  };
}

/** Returns the searched file or directory. */
export function searchedPath({ directory, file }: SearchTarget): string {
  return file === undefined ? directory : join(directory, file);
}

/** @throws ToolFailure if there is nothing to search. */
export function assertExists(target: SearchTarget): void {
  if (!target.exists) throw new ToolFailure(`There is no file or directory ${target.shown}.`);
}

/**
 * Checks right before the search that the planned target was not replaced by a link (S29).
 * @throws ToolFailure
 */
export async function assertUnchanged(target: SearchTarget, { world }: ToolContext): Promise<void> {
  const path = searchedPath(target);
  try {
    if ((await world.files.realpath(path)) !== path) throw new PathMoved(path);
  } catch (thrown) {
    throw fileFailure(thrown, path);
  }
}

/**
 * Returns a filter for files below the searched directory, by relative path: true if the search may show a file.
 *
 * Hidden files are never counted: their number of matches would reveal, search by search, their content.
 */
export function visibleFilter(
  { directory }: SearchTarget,
  { withholds }: ToolContext,
  what: HiddenPart,
): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return function isShown(path) {
    if (withholds === undefined) return true;
    const shown = known.get(path) ?? !withholds(join(directory, path), what);
    known.set(path, shown);
    return shown;
  };
}

/**
 * Returns the content of a saved output if that is searched: it is encrypted on disk, so ripgrep could not read it.
 * Undefined for any other target.
 */
export async function savedOutput(
  { directory, file }: SearchTarget,
  { world, workspace }: ToolContext,
): Promise<Uint8Array | undefined> {
  if (file === undefined) return undefined;
  const path = join(directory, file);
  const { files } = world;
  if ((await files.stat(workspace.scratch)) === undefined) return undefined;
  if (!isInside(await files.realpath(workspace.scratch), path)) return undefined;
  try {
    return await files.read(path, KEPT_BYTES_MAX);
  } catch (thrown) {
    throw fileFailure(thrown, path);
  }
}

/** Returns the path argument for ripgrep. It begins with a dot, so that it is never taken for an option. */
export function ripgrepOperand({ file }: SearchTarget): string {
  return file === undefined ? "./" : `./${file}`;
}

/** Removes the `./` from a result path that ripgrep prints. */
export function stripDotSlash(printed: string): string {
  return printed.startsWith("./") ? printed.slice(2) : printed;
}

/**
 * Returns a result path that the model can pass to another tool: relative to Bash's current directory, absolute
 * outside the workspace.
 */
export function resultPath(path: string, { directory }: SearchTarget, { root, cwd }: Workspace): string {
  const absolute = join(directory, path);
  return escapeControls(isInside(root, absolute) ? relative(cwd, absolute) : absolute);
}
