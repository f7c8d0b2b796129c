import { join, relative } from "node:path";
import type { Files } from "../../../base/world.ts";
import { worktreeFailed } from "./git.ts";

/** Entries that are looked through. Git itself keeps about a dozen files for a worktree. */
const ENTRIES_MAX = 10_000;

/**
 * Removes links, pipes and sockets from git's own folder of a worktree. Git creates none there, and would follow or
 * wait for them outside any sandbox: it appends to the log of a HEAD wherever that leads.
 * @param folder resolved.
 * @returns the removed paths, relative to that folder.
 * @throws HarnessError WorktreeFailed if there are too many entries to look through.
 */
export async function removeSpecialFiles(
  folder: string,
  files: Pick<Files, "listResolved" | "removeResolved">,
): Promise<readonly string[]> {
  const removed: string[] = [];
  const folders = [folder];
  let seen = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const { name, kind } of await files.listResolved(next, 0)) {
      seen += 1;
      if (seen > ENTRIES_MAX) throw worktreeFailed(`${folder} holds more than ${ENTRIES_MAX} files`);
      const path = join(next, name);
      if (kind === "directory") folders.push(path);
      else if (kind !== "file" && (await files.removeResolved(path))) removed.push(relative(folder, path));
    }
  }
  return removed;
}
