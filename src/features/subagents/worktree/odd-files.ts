import { join, relative } from "node:path";
import type { Files } from "../../../base/world.ts";
import { failed } from "./git.ts";

/** What git keeps of one worktree is a dozen files; one that holds more than this was filled by somebody. */
const ENTRIES_MAX = 10_000;

/**
 * Removes what git makes none of in its own folder of a worktree, and would follow or wait for outside of any sandbox:
 * links (it appends to the log of a HEAD wherever that leads), pipes and sockets.
 * @param folder resolved.
 * @returns what was removed, by paths from that folder.
 * @throws HarnessError WorktreeFailed where it holds too much to look through.
 */
export async function removeOddFiles(
  folder: string,
  files: Pick<Files, "listResolved" | "removeResolved">,
): Promise<readonly string[]> {
  const removed: string[] = [];
  const folders = [folder];
  let seen = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const { name, kind } of await files.listResolved(next, 0)) {
      seen += 1;
      if (seen > ENTRIES_MAX) throw failed(`${folder} holds more than ${ENTRIES_MAX} files`);
      const path = join(next, name);
      if (kind === "directory") folders.push(path);
      else if (kind !== "file" && (await files.removeResolved(path))) removed.push(relative(folder, path));
    }
  }
  return removed;
}
