import { basename, dirname, join, relative } from "node:path";
import { isInside } from "../containment.ts";
import type { CallTarget, ToolContext, Workspace } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ResolvedPath } from "./paths.ts";
import { oneLine, resolvePath } from "./paths.ts";

/** Where a search happens, resolved: a directory, or one file in it. */
export interface SearchPlace {
  readonly directory: string;
  /** Name of the one file that is searched. */
  readonly file?: string;
  readonly target: CallTarget;
  readonly exists: boolean;
  readonly shown: string;
}

/** @throws ToolFailure where the path cannot be resolved. */
export async function searchPlace(path: string, context: ToolContext): Promise<SearchPlace> {
  const found = await resolvePath(path, context);
  return {
    ...(found.info?.kind === "file"
      ? { directory: dirname(found.path), file: basename(found.path) }
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

/** @throws ToolFailure where nothing is to be searched. */
export function mustExist(place: SearchPlace): void {
  if (!place.exists) throw new ToolFailure(`There is no file or directory ${place.shown}.`);
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
