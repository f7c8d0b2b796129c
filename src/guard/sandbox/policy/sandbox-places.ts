import { dirname } from "node:path";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";
import type { ProtectedPlace, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { readOnlyInForeground } from "../../../session/guard/sandbox.ts";

/**
 * Changes where something was made or taken away in a watched folder, or a watched place became something else, or a held
 * one is no folder any more.
 */
export async function tokenOf(
  files: Files,
  { watched, held }: { readonly watched: readonly string[]; readonly held: readonly string[] },
): Promise<string> {
  const looks = await Promise.all([
    ...watched.map((path) => look(files, path)),
    ...held.map((path) => kindOf(files, path)),
  ]);
  return looks.join(" ");
}

/** The places that no command of the foreground can write: a link is none, since its folder can be written. */
export async function closedPlaces(files: Files, policy: SandboxPolicy): Promise<readonly string[]> {
  const paths = readOnlyInForeground(policy).map(({ path }) => path);
  const kinds = await Promise.all(paths.map((path) => kindOf(files, path)));
  return paths.filter((_, at) => kinds[at] !== "symlink");
}

/** The folders between a place and the deepest of some that holds it. */
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
    return "?"; // as below
  }
}

async function look(files: Files, path: string): Promise<string> {
  try {
    const info = await files.lstat(path);
    return info === undefined ? "-" : info.kind === "directory" ? String(info.modifiedMs) : info.kind;
  } catch {
    return "?"; // where we may not look, a command may not either
  }
}

/** Where sessions keep what `/tmp` stands for inside: this one's and others'. Below `/tmp` nothing of it is seen anyway. */
export function temporaryPlaces(base: string, root: string): readonly string[] {
  const shared = dirname(base);
  if (shared === "/tmp" || shared === "/var/tmp") return [];
  return shared === "/" || isWithin(root, shared) ? [base] : [base, shared];
}

/** What commands need of the folders that others stand in the place of. */
export function visiblePlaces(base: string, paths: readonly (string | undefined)[]): readonly string[] {
  const replaced = ["/tmp", "/var/tmp", dirname(base)].filter((each) => each !== "/");
  const known = [...new Set(paths.flatMap((path) => path ?? []))];
  return known.filter((path) => replaced.some((each) => isBelow(each, path)));
}

/** The folders in which a wanted place would come to be, where it or its parents are made. */
export async function foldersAbove(files: Files, wanted: readonly string[]): Promise<ReadonlySet<string>> {
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

/** Of what may not be changed: what is there, resolved, and what could be made in a folder that is. */
export async function protectable(
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

export async function existing(files: Files, paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => realPathIfThere(files, path)));
  return found.filter((path) => path !== undefined);
}
