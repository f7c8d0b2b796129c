import { dirname, join } from "node:path";
import type { FileInfo, Files } from "../../base/world.ts";

export type SystemProgram =
  | { readonly kind: "found"; readonly path: string }
  /** `problem`: the paths that were tried, and why an existing program is not used. */
  | { readonly kind: "missing"; readonly problem: string };

const WRITABLE_BY_OTHERS = 0o022;
const FOLDERS_MAX = 64;

/**
 * Finds a program that only root can replace: at one of the usual paths, otherwise in a folder of `PATH`. In a folder
 * of a project, or one that another user can write, the program could be replaced.
 */
export async function systemProgram(
  files: Pick<Files, "stat" | "lstat" | "realpath">,
  { usual, path = "" }: { readonly usual: readonly [string, ...string[]]; readonly path: string | undefined },
): Promise<SystemProgram> {
  for (const place of usual)
    if ((await files.stat(place))?.kind === "file") return { kind: "found", path: place };
  const name = usual[0].slice(usual[0].lastIndexOf("/") + 1);
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  const refused: string[] = [];
  for (const folder of new Set(folders.slice(0, FOLDERS_MAX))) {
    const place = join(folder, name);
    if ((await statOf(files, place))?.kind !== "file") continue;
    const why = await nonRootProblem(files, place);
    if (why === undefined) return { kind: "found", path: place };
    refused.push(`${place} is not used: ${why}`);
  }
  const where = `neither at ${usual.join(", ")} nor on PATH`;
  return { kind: "missing", problem: refused.length === 0 ? where : refused.join("; ") };
}

/** Returns what a user other than root could change on the way to a program; undefined if nothing. */
async function nonRootProblem(
  files: Pick<Files, "stat" | "lstat" | "realpath">,
  place: string,
): Promise<string | undefined> {
  const real = await files.realpath(place);
  // Both names are checked: a folder on the way to the link could be replaced as well.
  for (const start of [place, real]) {
    for (let at = start; ; at = dirname(at)) {
      const info = await statOf(files, at);
      if (info?.owner !== 0) return `${at} does not belong to root`;
      if ((info.mode & WRITABLE_BY_OTHERS) !== 0) return `${at} can be written by other users than root`;
      if (dirname(at) === at) break;
    }
  }
  return undefined;
}

async function statOf(files: Pick<Files, "stat">, path: string): Promise<FileInfo | undefined> {
  try {
    return await files.stat(path);
  } catch {
    return undefined; // access is refused, so nothing can be started from there either
  }
}
