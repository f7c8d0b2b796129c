import { dirname } from "node:path";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";
import type { ProtectedPlace, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { readOnlyInForeground } from "../../../session/guard/sandbox.ts";

/**
 * Returns a token of the state of these paths. It changes when an entry is made or removed in a watched folder, when
 * a watched path becomes another kind of file, or when a held path is no longer a folder.
 */
export async function stateToken(
  files: Files,
  { watched, held }: { readonly watched: readonly string[]; readonly held: readonly string[] },
): Promise<string> {
  const looks = await Promise.all([
    ...watched.map((path) => stateOf(files, path)),
    ...held.map((path) => kindOf(files, path)),
  ]);
  return looks.join(" ");
}

/** Returns the paths that no foreground command can write. Links are left out: their folder can be written. */
export async function closedPaths(files: Files, policy: SandboxPolicy): Promise<readonly string[]> {
  const paths = readOnlyInForeground(policy).map(({ path }) => path);
  const kinds = await Promise.all(paths.map((path) => kindOf(files, path)));
  return paths.filter((_, at) => kinds[at] !== "symlink");
}

/** Returns the folders between a path and the deepest of `folders` that holds it. */
export function foldersBetween(path: string, folders: readonly string[]): readonly string[] {
  const holding = folders.filter((folder) => isBelow(folder, path)).map(({ length }) => length);
  const least = Math.max(-1, ...holding);
  const between: string[] = [];
  if (least < 0) return between;
  for (let at = dirname(path); at.length > least; at = dirname(at)) between.push(at);
  return between;
}

async function kindOf(files: Files, path: string): Promise<string> {
  try {
    return (await files.lstat(path))?.kind ?? "-";
  } catch {
    return "?"; // access is refused, as below
  }
}

async function stateOf(files: Files, path: string): Promise<string> {
  try {
    const info = await files.lstat(path);
    return info === undefined ? "-" : info.kind === "directory" ? String(info.modifiedMs) : info.kind;
  } catch {
    return "?"; // access is refused, and a command of the same user is refused too
  }
}

/**
 * Returns the host folders that stand for `/tmp` inside, of this session and of others. Empty if they lie below
 * `/tmp`, where nothing of the host is visible anyway.
 */
export function temporaryPaths(base: string, root: string): readonly string[] {
  const shared = dirname(base);
  if (shared === "/tmp" || shared === "/var/tmp") return [];
  return shared === "/" || isWithin(root, shared) ? [base] : [base, shared];
}

/** Returns the paths that commands need inside folders that the sandbox replaces. */
export function visiblePaths(base: string, paths: readonly (string | undefined)[]): readonly string[] {
  const replaced = ["/tmp", "/var/tmp", dirname(base)].filter((each) => each !== "/");
  const known = [...new Set(paths.flatMap((path) => path ?? []))];
  return known.filter((path) => replaced.some((each) => isBelow(each, path)));
}

/** Returns the existing folders in which the wanted paths, or their missing parents, would be created. */
export async function nearestFolders(files: Files, wanted: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Map<string, boolean>();
  const above = new Set<string>();
  for (const path of wanted) {
    let folder = dirname(path);
    while (folder !== "/") {
      const isThere = known.get(folder) ?? (await files.stat(folder))?.kind === "directory";
      known.set(folder, isThere);
      if (isThere) break;
      folder = dirname(folder);
    }
    above.add(folder);
  }
  return above;
}

/** Returns the protected paths that exist, resolved, and those that could be created in an existing folder. */
export async function protectablePaths(
  files: Files,
  root: string,
  places: readonly ProtectedPlace[],
): Promise<readonly ProtectedPlace[]> {
  const found = await Promise.all(
    places.map(async (place): Promise<readonly ProtectedPlace[]> => {
      const path = await realPathIfThere(files, place.path);
      if (path !== undefined) return isBelow(root, path) ? [{ ...place, path }] : [];
      return (await files.stat(dirname(place.path)))?.kind === "directory" ? [place] : [];
    }),
  );
  return found.flat();
}

export async function existingPaths(files: Files, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => realPathIfThere(files, path)));
  return found.filter((path) => path !== undefined);
}
