import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../base/world.ts";

const PARENTS_MAX = 64;

/**
 * Returns the path of `.harness-secrets/env`: in the working directory, else in the nearest directory above it, up to
 * the root of its repository. Undefined if there is none.
 */
export function harnessSecretsPath(workingDir: string): string | undefined {
  const root = enclosingRepository(workingDir) ?? workingDir;
  for (let at = workingDir, step = 0; step < PARENTS_MAX; at = dirname(at), step += 1) {
    const path = join(at, ".harness-secrets", "env");
    if (isThere(path)) return path;
    if (at === root || at === dirname(at)) return undefined;
  }
  return undefined;
}

/**
 * Returns the folders that may contain such a file: the existing ones, which no command may read, and the
 * working directory's.
 */
export function harnessSecretsFolders(workingDir: string): {
  readonly own: string;
  readonly there: readonly string[];
} {
  const root = enclosingRepository(workingDir) ?? workingDir;
  const folders: string[] = [];
  for (let at = workingDir, step = 0; step < PARENTS_MAX; at = dirname(at), step += 1) {
    folders.push(join(at, ".harness-secrets"));
    if (at === root || at === dirname(at)) break;
  }
  return { own: join(workingDir, ".harness-secrets"), there: folders.filter(isThere) };
}

/** Returns the nearest directory upwards that has a `.git`. */
export function enclosingRepository(directory: string): string | undefined {
  for (let at = directory, step = 0; step < PARENTS_MAX; at = dirname(at), step += 1) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
  return undefined;
}

/** A link counts as existing: it is refused by name, not skipped. Nothing exists below a file. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return false;
    throw thrown;
  }
}
