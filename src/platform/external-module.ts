import { statSync } from "node:fs";

/**
 * Imports a module outside of the program by its absolute path: a plugin of the user. It is the only computed import;
 * the caller has shown the user what the file contains.
 */
export async function importExternal(path: string): Promise<unknown> {
  return await import(path);
}

/**
 * Group write access is allowed: on some systems the usual umask grants it to a personal group, and changed files are
 * asked about again.
 */
const EVERYBODY_WRITES = 0o002;

/** Returns why code at a path must not run as the user: another user can change it. Undefined if nobody else can. */
export function otherWriters(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  const userId = process.geteuid?.();
  if (userId !== undefined && uid !== userId && uid !== 0) return "belongs to another user";
  return (mode & EVERYBODY_WRITES) === 0 ? undefined : "can be written by everybody: chmod o-w";
}
