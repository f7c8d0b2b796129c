import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../base/world.ts";

const PARENTS_MAX = 64;

/**
 * Where `.harness-secrets/env` is: in the directory that is worked in, else in one above it, up to the root of its
 * repository. Undefined where there is none.
 */
export function harnessSecretsPath(workingDir: string): string | undefined {
  const root = repositoryRoot(workingDir) ?? workingDir;
  for (let at = workingDir, step = 0; step < PARENTS_MAX; at = dirname(at), step += 1) {
    const path = join(at, ".harness-secrets", "env");
    if (isThere(path)) return path;
    if (at === root || at === dirname(at)) return undefined;
  }
  return undefined;
}

/** The folders that such a file may be in: those that are there, which no command may look into, and one's own. */
export function harnessSecretsFolders(workingDir: string): {
  readonly own: string;
  readonly there: readonly string[];
} {
  const root = repositoryRoot(workingDir) ?? workingDir;
  const folders: string[] = [];
  for (let at = workingDir, step = 0; step < PARENTS_MAX; at = dirname(at), step += 1) {
    folders.push(join(at, ".harness-secrets"));
    if (at === root || at === dirname(at)) break;
  }
  return { own: join(workingDir, ".harness-secrets"), there: folders.filter(isThere) };
}

/** The nearest directory from here upwards that has a `.git`. */
export function repositoryRoot(directory: string): string | undefined {
  for (let at = directory, step = 0; step < PARENTS_MAX; at = dirname(at), step += 1) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
  return undefined;
}

/** A link counts as there: it is refused by name, not passed over. Below a file there is nothing. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return false;
    throw thrown;
  }
}
