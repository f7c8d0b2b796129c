import type { Files } from "../world.ts";
import { codeOf } from "../world.ts";

/**
 * Resolves every link of a path; undefined if it does not exist. A check before resolving would fail if another
 * process removes the path in between.
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
