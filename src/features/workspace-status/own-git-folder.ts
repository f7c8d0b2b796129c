import { basename, dirname, join, resolve } from "node:path";
import { isBelow } from "../../base/files/below.ts";
import { decode } from "../../base/text/text.ts";
import type { Files } from "../../base/world.ts";

const LINK_BYTES_MAX = 4_096;
const MODULES = "/.git/modules/";

/**
 * Returns git's folder for a working tree: its `.git`, or the folder that a `.git` file names. Undefined if that
 * belongs to another working tree, because a downloaded file could name any repository of the user's.
 *
 * @param top the top of the working tree, resolved.
 */
export async function ownGitFolder(
  files: Pick<Files, "lstat" | "readRange" | "realpath">,
  top: string,
): Promise<string | undefined> {
  const dot = join(top, ".git");
  const kind = (await files.lstat(dot))?.kind;
  if (kind === "directory") return dot;
  const named = kind === "file" ? await lineOf(files, dot) : undefined;
  const path =
    named?.startsWith("gitdir: ") === true ? resolve(top, named.slice("gitdir: ".length)) : undefined;
  if (path === undefined || (await files.lstat(path))?.kind !== "directory") return undefined;
  const folder = await files.realpath(path);
  const isWorktree =
    basename(dirname(folder)) === "worktrees" && (await lineOf(files, join(folder, "gitdir"))) === dot;
  const modules = folder.indexOf(MODULES);
  const isSubmodule = modules !== -1 && isBelow(folder.slice(0, modules), top);
  return isWorktree || isSubmodule ? folder : undefined;
}

/** Returns the only line of a file; undefined if there is none. */
async function lineOf(files: Pick<Files, "lstat" | "readRange">, path: string): Promise<string | undefined> {
  if ((await files.lstat(path))?.kind !== "file") return undefined;
  return decode(await files.readRange(path, 0, LINK_BYTES_MAX)).replace(/[\r\n]+$/, "");
}
