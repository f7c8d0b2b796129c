import { join } from "node:path";
import { isWithin } from "../../../base/files/below.ts";
import type { Files } from "../../../base/world.ts";
import { walkLinks } from "./link-walk.ts";

const EXECUTABLE_BITS = 0o111;

export interface TrustedProgramOptions {
  /** PATH. Relative folders in it are left out: the working directory decides where they are. */
  readonly path: string;
  readonly files: Pick<Files, "stat" | "lstat" | "readlink">;
  /** Folders that agents may write, absolute and resolved. */
  readonly writable: readonly string[];
  /** `first`: a first one that agents may replace hides the others, as it does for a shell. Default: it is left out. */
  readonly which?: "first";
}

/**
 * Finds a program in PATH that no agent can replace: neither the file nor a link or folder on the way to it lies in a
 * folder that one may write (S33). Every program that cinch itself looks up by name to run it outside the sandbox is
 * found here. Returns its path as found: some programs depend on the path they were called by.
 */
export async function findTrustedProgram(
  name: string,
  { path, files, writable, which }: TrustedProgramOptions,
): Promise<string | undefined> {
  for (const folder of absoluteFolders(path)) {
    const program = join(folder, name);
    const info = await files.stat(program);
    if (info?.kind !== "file" || (info.mode & EXECUTABLE_BITS) === 0) continue;
    if (!(await isReplaceable(program, files, writable))) return program;
    if (which === "first") return undefined;
  }
  return undefined;
}

/** Returns PATH without folders that agents can fill: a trusted program may be a script, which finds others by it. */
export async function trustedPath({ path, files, writable }: TrustedProgramOptions): Promise<string> {
  const trusted: string[] = [];
  for (const folder of absoluteFolders(path)) {
    if (!(await isReplaceable(folder, files, writable))) trusted.push(folder);
  }
  return trusted.join(":");
}

function absoluteFolders(path: string): readonly string[] {
  return path.split(":").filter((folder) => folder.startsWith("/"));
}

/** Returns true if an agent can decide what a path leads to. */
async function isReplaceable(
  path: string,
  files: Pick<Files, "lstat" | "readlink">,
  writable: readonly string[],
): Promise<boolean> {
  const { links, end } = await walkLinks(files, path);
  const places = [path, ...links, ...(end === undefined ? [] : [end])];
  return places.some((place) => writable.some((folder) => isWithin(folder, place)));
}
