import { dirname, join } from "node:path";
import type { FileInfo, Files } from "../../base/world.ts";
import type { ProgramSearch } from "./policy/trusted-program.ts";
import { isReplaceable } from "./policy/trusted-program.ts";

export type SystemProgram =
  | { readonly kind: "found"; readonly path: string }
  /** `problem`: the paths that were tried, and why an existing program is not used. */
  | { readonly kind: "missing"; readonly problem: string };

const WRITABLE_BY_OTHERS = 0o022;
const FOLDERS_MAX = 64;

/**
 * Finds a program that only root can replace: at one of the usual paths, otherwise in a folder of `PATH`. In a folder
 * of a project, or one that another user can write, the program could be replaced. Where cinch runs as root, agents
 * write as root too: no folder that one may write counts.
 * @param search absent: there is no `PATH`, and no agent writes.
 */
export async function systemProgram(
  files: Pick<Files, "stat" | "lstat" | "realpath" | "readlink">,
  {
    usual,
    search,
  }: { readonly usual: readonly [string, ...string[]]; readonly search: ProgramSearch | undefined },
): Promise<SystemProgram> {
  const { path = "", writable = { all: [] } } = search ?? {};
  const refused: string[] = [];
  const isOpen = (place: string) => isReplaceable(place, { files, writable: writable.all });
  for (const place of usual) {
    if ((await files.stat(place))?.kind !== "file") continue;
    if (!(await isOpen(place))) return { kind: "found", path: place };
    refused.push(openText(place));
  }
  const name = usual[0].slice(usual[0].lastIndexOf("/") + 1);
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  for (const folder of new Set(folders.slice(0, FOLDERS_MAX))) {
    const place = join(folder, name);
    if ((await statOf(files, place))?.kind !== "file") continue;
    const why = await nonRootProblem(files, place);
    if (why !== undefined) refused.push(`${place} is not used: ${why}`);
    else if (await isOpen(place)) refused.push(openText(place));
    else return { kind: "found", path: place };
  }
  const where = `neither at ${usual.join(", ")} nor on PATH`;
  return { kind: "missing", problem: refused.length === 0 ? where : refused.join("; ") };
}

function openText(place: string): string {
  return `${place} is not used: an agent can write it, or a folder or link on the way to it`;
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
