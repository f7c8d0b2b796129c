import { basename, dirname, join, relative } from "node:path";
import { PathMoved } from "../../base/world.ts";
import { isInside } from "../containment.ts";
import type { ResolvedPath } from "../paths.ts";
import { fileFailure, oneLine, resolvePath } from "../paths.ts";
import type { CallTarget, ToolContext, Withheld, Workspace } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/** A kept output has at most half of this. */
const KEPT_BYTES_MAX = 128 * 1024 * 1024;

/** Where a search happens, resolved: a directory, or one file in it. */
export interface SearchPlace {
  readonly directory: string;
  /** Name of the one file that is searched. */
  readonly file?: string;
  /** Bytes of that file. */
  readonly size?: number;
  readonly target: CallTarget;
  readonly exists: boolean;
  readonly shown: string;
}

/** @throws ToolFailure where the path cannot be resolved. */
export async function searchPlace(path: string, context: ToolContext): Promise<SearchPlace> {
  const found = await resolvePath(path, context);
  return {
    ...(found.info?.kind === "file"
      ? { directory: dirname(found.path), file: basename(found.path), size: found.info.size }
      : { directory: found.path }),
    target: targetOf(found),
    exists: found.info !== undefined,
    shown: oneLine(found.shown),
  };
}

function targetOf({ path, spelled }: ResolvedPath): CallTarget {
  return {
    kind: "paths",
    paths: [{ path, access: "read", ...(spelled === path ? {} : { spelled }) }],
  };
}

/** Returns the one file, or the directory, that is searched. */
export function searchedPath({ directory, file }: SearchPlace): string {
  return file === undefined ? directory : join(directory, file);
}

/** @throws ToolFailure where nothing is to be searched. */
export function mustExist(place: SearchPlace): void {
  if (!place.exists) throw new ToolFailure(`There is no file or directory ${place.shown}.`);
}

/**
 * Looks again, right before the search, that the planned place is what it was: not a link to somewhere else (S29).
 * @throws ToolFailure
 */
export async function stillThere(place: SearchPlace, { world }: ToolContext): Promise<void> {
  const path = searchedPath(place);
  try {
    if ((await world.files.realpath(path)) !== path) throw new PathMoved(path);
  } catch (thrown) {
    throw fileFailure(thrown, path);
  }
}

/**
 * Whether a file below the searched directory, by its path relative to it, is one that the search may show.
 *
 * What is withheld is never counted: how many of them match would tell, search by search, what stands in them.
 */
export function notWithheld(
  { directory }: SearchPlace,
  { withholds }: ToolContext,
  what: Withheld,
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
 * What a kept output holds, where that is what is searched: on the disk it is sealed, so that ripgrep could not read it.
 * Undefined for any other place.
 */
export async function keptOutput(
  { directory, file }: SearchPlace,
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

/** What ripgrep is told to search: never taken for an option, since it begins with a dot. */
export function operand({ file }: SearchPlace): string {
  return file === undefined ? "./" : `./${file}`;
}

/** The path of a result below the searched directory, as ripgrep prints it, without its `./`. */
export function below(printed: string): string {
  return printed.startsWith("./") ? printed.slice(2) : printed;
}

/** A result as the model can hand it to another tool: relative to where Bash is now, absolute outside the workspace. */
export function shownPath(path: string, { directory }: SearchPlace, { root, cwd }: Workspace): string {
  const absolute = join(directory, path);
  return oneLine(isInside(root, absolute) ? relative(cwd, absolute) : absolute);
}
