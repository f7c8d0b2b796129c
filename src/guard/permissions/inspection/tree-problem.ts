import { join } from "node:path";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";
import { SOURCE_FILES } from "../commands/find.ts";
import type { TreeSearch } from "../commands/grammar.ts";
import { mayHoldCredentials } from "../judge/sensitive.ts";

/** Limit for a searched tree: a command that opens all of a larger one is asked about. */
const ENTRIES_MAX = 10_000;

/**
 * Returns what a command may not meet below a directory (PERM-04): names that xargs would split, keys, links that
 * lead out. Undefined if there is none. Follows no link.
 */
export async function treeProblem(
  directory: string,
  { names, keys, links }: TreeSearch,
  { files, isReadable }: { readonly files: Files; readonly isReadable: (path: string) => boolean },
): Promise<string | undefined> {
  const open = [directory];
  let entries = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { name, kind } of await files.list(at)) {
      const path = join(at, name);
      entries += 1;
      if (entries > ENTRIES_MAX)
        return `it opens what lies below ${directory}, more than ${ENTRIES_MAX} entries`;
      if (names === true && /[\s'"\\\ufffd]/.test(name)) return `xargs splits the name ${path}`;
      if (kind === "directory") {
        open.push(path);
        continue;
      }
      const isKey = keys !== undefined && mayHoldCredentials(path);
      if (isKey && (keys === "all" || SOURCE_FILES.test(name)))
        return `it also reads ${path}, which may hold a key or password`;
      if (links === true && kind === "symlink") {
        const target = await realPathIfThere(files, path);
        if (target !== undefined && (!isReadable(target) || mayHoldCredentials(target)))
          return `it also reads ${target}, where the link ${path} leads`;
      }
    }
  }
  return undefined;
}
