import { dirname } from "node:path";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { ProtectedPath, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { readOnlyInForeground } from "../../../session/guard/sandbox.ts";

/** Paths whose state makes a policy out of date. */
export interface PolicyBasis {
  /** Out of date when an entry is made or removed in such a folder, or such a path becomes another kind of file. */
  readonly watched: readonly string[];
  /** Folders mounted on themselves: out of date when one becomes another kind of file. */
  readonly parentFolders: readonly string[];
  /** Paths that go through links: out of date when one leads elsewhere. */
  readonly linked: readonly string[];
}

/** Returns a token of the state of these paths: another one if the policy is out of date. */
export async function stateToken(
  files: Files,
  { watched, parentFolders, linked }: PolicyBasis,
): Promise<string> {
  const looks = await Promise.all([
    ...watched.map((path) => stateOf(files, path)),
    ...parentFolders.map((path) => kindOf(files, path)),
    ...linked.map((path) => targetOf(files, path)),
  ]);
  return looks.join(" ");
}

async function targetOf(files: Files, path: string): Promise<string> {
  try {
    return JSON.stringify(await files.realpath(path));
  } catch (thrown) {
    return codeOf(thrown) ?? "?"; // a path that leads nowhere has no target
  }
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

/** Paths that decide if wanted paths exist, and where they lead. */
export interface Watched {
  /** Existing folders in which the paths, or their missing parents, would be created. */
  readonly folders: ReadonlySet<string>;
  /** Paths that go through links, which may lie in any folder. */
  readonly linked: readonly string[];
}

export async function watchedFor(files: Files, wanted: readonly string[]): Promise<Watched> {
  const known = new Map<string, Promise<{ readonly isThere: boolean; readonly isLinked: boolean }>>();
  const lookAt = async (folder: string) => {
    const isThere = await isFolder(files, folder);
    return { isThere, isLinked: isThere && (await realPathIfThere(files, folder)) !== folder };
  };
  const found = wanted.map(async (path) => {
    let [entry, folder] = [path, dirname(path)];
    for (; folder !== "/"; [entry, folder] = [folder, dirname(folder)]) {
      const look = known.get(folder) ?? lookAt(folder);
      known.set(folder, look);
      const { isThere, isLinked } = await look;
      if (isThere) return { folder, isLinked: isLinked || (await kindOf(files, entry)) === "symlink", path };
    }
    return { folder, isLinked: (await kindOf(files, entry)) === "symlink", path };
  });
  const all = await Promise.all(found);
  return {
    folders: new Set(all.map(({ folder }) => folder)),
    linked: all.flatMap(({ isLinked, path }) => (isLinked ? [path] : [])),
  };
}

/** Returns false where access is refused: a command of the same user is refused too. */
async function isFolder(files: Files, path: string): Promise<boolean> {
  try {
    return (await files.stat(path))?.kind === "directory";
  } catch (thrown) {
    if (codeOf(thrown) === "EACCES") return false;
    throw thrown;
  }
}

/** Returns the protected paths that exist, resolved, and those that could be created in an existing folder. */
export async function protectablePaths(
  files: Files,
  root: string,
  places: readonly ProtectedPath[],
): Promise<readonly ProtectedPath[]> {
  const found = await Promise.all(
    places.map(async (place): Promise<readonly ProtectedPath[]> => {
      const path = await realPathIfThere(files, place.path);
      if (path !== undefined) return isBelow(root, path) ? [{ ...place, path }] : [];
      return (await files.stat(dirname(place.path)))?.kind === "directory" ? [place] : [];
    }),
  );
  return found.flat();
}
