import { dirname, join } from "node:path";
import { isWithin } from "../../../base/files/below.ts";
import type { Files } from "../../../base/world.ts";
import { walkLinks } from "./link-walk.ts";

/** Sentence for people where `findTrustedProgram` finds no git. */
export const NO_GIT =
  "PATH has no git that only you can replace: one below a folder that a session may write does not count";

const EXECUTABLE_BITS = 0o111;

type ProgramFiles = Pick<Files, "stat" | "lstat" | "readlink">;

/** The folders in which a program is looked up by its name, and those that agents may write. */
export interface ProgramSearch {
  /** PATH. Relative folders in it are left out: the working directory decides where they are. */
  readonly path: string;
  /** Absolute and resolved. Read at each search: sessions add to it. */
  readonly writable: { readonly all: readonly string[] };
}

export interface TrustedProgramOptions {
  /** PATH. Relative folders in it are left out: the working directory decides where they are. */
  readonly path: string;
  readonly files: ProgramFiles;
  /** Folders that agents may write, absolute and resolved. */
  readonly writable: readonly string[];
  /** `first`: a first one that agents may replace hides the others, as it does for a shell. Default: it is left out. */
  readonly which?: "first";
}

/**
 * Finds a program in PATH that no agent can replace: neither the file nor a link or folder on the way to it lies in a
 * folder that one may write (S33). Programs of the sandbox itself (bwrap, podman …) are found
 * by `systemProgram`. Returns its path as found: some programs depend on the path they were called by.
 */
export async function findTrustedProgram(
  name: string,
  { path, files, writable, which }: TrustedProgramOptions,
): Promise<string | undefined> {
  for (const folder of absoluteFolders(path)) {
    const program = join(folder, name);
    const info = await files.stat(program);
    if (info?.kind !== "file" || (info.mode & EXECUTABLE_BITS) === 0) continue;
    if (!(await isReplaceable(program, { files, writable }))) return program;
    if (which === "first") return undefined;
  }
  return undefined;
}

/** Returns PATH without folders that agents can fill: a trusted program may be a script, which finds others by it. */
export async function trustedPath({ path, files, writable }: TrustedProgramOptions): Promise<string> {
  const trusted: string[] = [];
  for (const folder of absoluteFolders(path)) {
    if (!(await isReplaceable(folder, { files, writable }))) trusted.push(folder);
  }
  return trusted.join(":");
}

function absoluteFolders(path: string): readonly string[] {
  return path.split(":").filter((folder) => folder.startsWith("/"));
}

/**
 * Returns true if an agent can decide what a path leads to. Folders are compared by name and by identity: a disk that
 * ignores case, or a folder that is mounted twice, has other names for the same folder.
 */
export async function isReplaceable(
  path: string,
  { files, writable }: Pick<TrustedProgramOptions, "files" | "writable">,
): Promise<boolean> {
  const { links, end } = await walkLinks(files, path);
  const places = [path, ...links, ...(end === undefined ? [] : [end])];
  if (places.some((place) => writable.some((folder) => isWithin(folder, place)))) return true;
  const identities = await Promise.all(writable.map((folder) => identityOf(files, folder)));
  const open = new Set(identities.filter((each) => each !== undefined));
  const above = new Set(places.flatMap(foldersAbove));
  for (const folder of above) {
    const identity = await identityOf(files, folder);
    if (identity !== undefined && open.has(identity)) return true;
  }
  return false;
}

/** Returns a path and all folders above it. */
function foldersAbove(path: string): readonly string[] {
  const folders = [path];
  for (let at = path; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
}

async function identityOf(files: Pick<Files, "stat">, path: string): Promise<string | undefined> {
  try {
    return (await files.stat(path))?.identity;
  } catch {
    return undefined; // access is refused, so neither cinch nor an agent gets at anything in it
  }
}
