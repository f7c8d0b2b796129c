import { dirname, join } from "node:path";
import type { Files } from "../base/world.ts";

const ANCESTORS_MAX = 64;

/**
 * Returns the nearest folder upwards that holds `.git`, a directory or a worktree's file; undefined outside
 * a repository.
 */
export async function repositoryRoot(files: Files, workingDir: string): Promise<string | undefined> {
  let directory = workingDir;
  for (let step = 0; step < ANCESTORS_MAX; step++) {
    if ((await files.lstat(join(directory, ".git"))) !== undefined) return directory;
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
  return undefined;
}
