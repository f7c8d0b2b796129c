import { basename, dirname, join } from "node:path";
import type { Files } from "../base/world.ts";
import type { HarnessPaths } from "./options.ts";

/**
 * Where cinch keeps its own files, as the permission gate compares paths: every link resolved, also for a folder that is
 * not there yet and that a tool could otherwise be the first to make.
 */
export async function ownDirectories(files: Files, paths: HarnessPaths): Promise<readonly string[]> {
  return await Promise.all(Object.values(paths).map((path) => resolved(files, path)));
}

/** Of files that were named for this run, those that are there, with every link resolved. */
export async function namedFiles(
  files: Files,
  named: readonly (string | undefined)[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    named.map(async (path) => {
      if (path?.startsWith("/") !== true || (await files.stat(path)) === undefined) return [];
      const real = await files.realpath(path);
      return real === path ? [path] : [path, real];
    }),
  );
  return found.flat();
}

async function resolved(files: Files, path: string): Promise<string> {
  if ((await files.lstat(path)) !== undefined) return await files.realpath(path);
  const parent = dirname(path);
  return parent === path ? path : join(await resolved(files, parent), basename(path));
}
