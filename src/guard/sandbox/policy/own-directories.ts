import { basename, dirname, join } from "node:path";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";

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
      const real = path?.startsWith("/") === true ? await realPathIfThere(files, path) : undefined;
      if (path === undefined || real === undefined) return [];
      return real === path ? [path] : [path, real];
    }),
  );
  return found.flat();
}

async function resolved(files: Files, path: string): Promise<string> {
  const real = await realPathIfThere(files, path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(await resolved(files, parent), basename(path));
}
