import { statSync } from "node:fs";

/**
 * Imports a module from outside of the program, by its absolute path: a plugin of the user's. The only import that is
 * computed; whoever calls it has shown the person what is in the file.
 */
export async function importExternal(path: string): Promise<unknown> {
  return await import(path);
}

const OTHERS_WRITE = 0o022;

/** Why what lies at a path may not be run as the user: somebody else can change it. Undefined where nobody else can. */
export function foreignHand(path: string): string | undefined {
  const { uid, mode } = statSync(path);
  const own = process.geteuid?.();
  if (own !== undefined && uid !== own && uid !== 0) return "belongs to another user";
  return (mode & OTHERS_WRITE) === 0 ? undefined : "can be written by others: chmod go-w";
}
