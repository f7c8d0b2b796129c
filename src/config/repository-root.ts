import { dirname, join } from "node:path";
import type { Files } from "../base/world.ts";

const ANCESTORS_MAX = 64;

/**
 * Returns the nearest folder upwards that holds `.git`, a directory or a worktree's file; undefined outside
 * a repository.
 */
export async function repositoryRoot(files: Files, workingDir: string): Promise<string | undefined> {
  if (await holdsGit(files, workingDir)) return workingDir;
  // All at once: outside of a repository the search goes up to the root.
  const above = foldersAbove(workingDir).map((folder) => ({ folder, holds: holdsGit(files, folder) }));
  for (const { holds } of above) holds.catch(() => undefined); // a failure above the repository does not count
  for (const { folder, holds } of above) if (await holds) return folder;
  return undefined;
}

async function holdsGit(files: Files, folder: string): Promise<boolean> {
  return (await files.lstat(join(folder, ".git"))) !== undefined;
}

function foldersAbove(folder: string): readonly string[] {
  const above: string[] = [];
  for (let [inner, outer] = [folder, dirname(folder)]; outer !== inner; outer = dirname(outer)) {
    if (above.length === ANCESTORS_MAX) break;
    above.push(outer);
    inner = outer;
  }
  return above;
}
