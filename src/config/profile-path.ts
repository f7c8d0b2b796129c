import { resolve } from "node:path";

/** Returns true if a profile is named by the path of its file. */
export function isProfilePath(nameOrPath: string): boolean {
  return nameOrPath.includes("/") || nameOrPath.endsWith(".toml");
}

/**
 * Returns the name of a profile, or the absolute path of its file.
 * @param folder start of a relative path: the working directory, but for a command line.
 */
export function resolveProfile(nameOrPath: string, folder: string): string {
  return isProfilePath(nameOrPath) ? resolve(folder, nameOrPath) : nameOrPath;
}

/** Returns a profile as a command line names it: a relative path is one of this process, also with `--cwd`. */
export function profileFromHere(named: string): string {
  return resolveProfile(named, ".");
}
