import { HarnessError } from "../../../base/errors.ts";
import { isWithin } from "../../../base/files/below.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import { shortened } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { cinchDirectories } from "../../../guard/sandbox/policy/cinch-directories.ts";
import { resolveHome } from "../../../guard/sandbox/policy/hidden-paths.ts";
import { isNeededPath } from "../../../guard/sandbox/policy/system-paths.ts";
import { sessionFolder } from "./session-folder.ts";

const SHOWN_CHARACTERS_MAX = 200;

/** Workspace that folders are added to. */
export interface AddedFolderSources {
  readonly files: Files;
  readonly paths: HarnessPaths;
  /** Working directory, resolved. */
  readonly root: string;
  /** Home directory, as the environment of the session names it. */
  readonly home: string | undefined;
}

/**
 * Returns the folders that a person adds to a workspace, resolved, each once. A folder inside another one of them, or
 * inside the working directory, is left out.
 * @throws HarnessError InvalidPath for one that is not absolute, missing or no directory; for a folder that holds the
 * home; for one that holds cinch's own files or lies in them; for one of the system.
 */
export async function addedFolders(
  named: readonly string[],
  { files, paths, root, home }: AddedFolderSources,
): Promise<readonly string[]> {
  const [ownFolders, realHome] = await Promise.all([
    cinchDirectories(files, paths),
    resolveHome(files, home),
  ]);
  const found: string[] = [];
  for (const text of named) {
    const path = await sessionFolder(files, text, "added folder");
    const problem = problemOf(path, ownFolders, realHome);
    if (problem !== undefined) {
      const shown = shortened(JSON.stringify(text), SHOWN_CHARACTERS_MAX);
      throw new HarnessError("InvalidPath", { why: `added folder ${shown} ${problem}` });
    }
    found.push(path);
  }
  return found.filter((path, at) => {
    if (isWithin(root, path) || found.indexOf(path) !== at) return false;
    return !found.some((other) => other !== path && isWithin(other, path));
  });
}

function problemOf(
  path: string,
  ownFolders: readonly string[],
  home: string | undefined,
): string | undefined {
  if (path === "/") return "is the whole machine. Name the folders that the work is in";
  if (isNeededPath(path)) return "belongs to the system. Name a folder of yours";
  if (home !== undefined && isWithin(path, home))
    return "is your home directory, or holds it. Name the folders in it that the work is in";
  if (ownFolders.some((folder) => isWithin(folder, path) || isWithin(path, folder)))
    return "holds files of cinch itself, or lies among them. Name a folder beside them";
  return undefined;
}
