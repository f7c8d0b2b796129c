import type { LogId } from "../ids.ts";
import { isId } from "../ids.ts";
import type { Files } from "../world.ts";

/**
 * Returns the logs that have a folder in a folder, each with the time at which something in its folder was last made or
 * renamed. A folder with another name is not one of cinch's.
 */
export async function foldersOfLogs(
  files: Pick<Files, "list" | "lstat" | "stat">,
  folder: string,
): Promise<ReadonlyMap<LogId, number>> {
  const found = new Map<LogId, number>();
  if ((await files.stat(folder))?.kind !== "directory") return found;
  for (const { name, kind } of await files.list(folder)) {
    if (kind !== "directory" || !isId("log", name)) continue;
    const info = await files.lstat(`${folder}/${name}`);
    if (info !== undefined) found.set(name, info.modifiedMs);
  }
  return found;
}
