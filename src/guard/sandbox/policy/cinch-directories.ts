import { basename, dirname, join } from "node:path";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";

/**
 * Returns cinch's own folders in the form that the permission gate compares: with every link resolved. Includes a
 * missing folder, which a tool could otherwise be the first to create.
 */
export async function cinchDirectories(files: Files, paths: HarnessPaths): Promise<readonly string[]> {
  return await Promise.all(Object.values(paths).map((path) => resolved(files, path)));
}

/** Returns the files named for this run that exist, with every link resolved. */
export async function existingFiles(
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
