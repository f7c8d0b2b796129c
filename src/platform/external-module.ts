import { statSync } from "node:fs";

/**
 * Imports a module from outside of the program, by its absolute path: a plugin of the user's. The only import that is
 * computed; whoever calls it has shown the person what is in the file.
 */
export async function importExternal(path: string): Promise<unknown> {
  return await import(path);
}

/** A group is many people's own, with the usual umask of some systems; and what is changed is asked about again. */
const EVERYBODY_WRITES = 0o002;

/** Why what lies at a path may not be run as the user: somebody else can change it. Undefined where nobody else can. */
export function foreignHand(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  const own = process.geteuid?.();
  if (own !== undefined && uid !== own && uid !== 0) return "belongs to another user";
  return (mode & EVERYBODY_WRITES) === 0 ? undefined : "can be written by everybody: chmod o-w";
}
