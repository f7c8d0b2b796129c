import type { Files } from "../world.ts";
import { codeOf } from "../world.ts";

/**
 * Resolves every link of a path; undefined where nothing is. To look first and resolve then fails where another process
 * removes it in between.
 */
export async function realPathIfThere(
  files: Pick<Files, "realpath">,
  path: string,
): Promise<string | undefined> {
  try {
    return await files.realpath(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
