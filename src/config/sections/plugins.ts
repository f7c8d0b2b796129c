import { isAbsolute, normalize } from "node:path";
import type { Table } from "../table.ts";

/**
 * `plugins`: the paths of plugins, each a file or a folder (PLUG-02).
 * @throws HarnessError ConfigInvalid for a path that is not absolute: it would name another file in each folder.
 */
export function pluginsFrom(table: Table): readonly string[] {
  const paths = table.strings("plugins") ?? [];
  const wrong = paths.filter((path) => !isAbsolute(path) || normalize(path) !== path);
  const problems = wrong.map((path) => `"${path}" is no absolute path, plainly written`);
  if (problems.length > 0) throw table.problem("plugins", problems.join("; "));
  return [...new Set(paths)];
}
