import { join } from "node:path";
import type { Files } from "../base/world.ts";

/**
 * Links among git's own files, where git makes none: it writes through them, wherever they lead (S22, S26). HEAD may be one,
 * as git once made it, and is replaced and not written through.
 */
export interface GitLinks {
  /** Takes what there is in git directories that were not looked at before: who made that is not known. */
  know(directories: readonly string[]): Promise<void>;
  /** Links that came to be in them since, by their paths. */
  planted(): Promise<readonly string[]>;
}

/** Of one git directory; the nearest are looked at. Each costs a command some fifty microseconds. */
const FOLDERS_MAX = 64;
/** What is large, or cannot be written, or is git's in no way. */
const SKIPPED: ReadonlySet<string> = new Set(["objects", "hooks", "modules", "worktrees", "lfs", "annex"]);

export function gitLinks(files: Pick<Files, "listResolved">): GitLinks {
  const known = new Map<string, ReadonlySet<string>>();

  async function linksIn(directory: string): Promise<readonly string[]> {
    const links: string[] = [];
    const folders = [directory];
    for (let at = 0; at < folders.length && at < FOLDERS_MAX; at += 1) {
      const folder = folders[at] ?? directory;
      for (const { name, kind } of await entriesOf(folder)) {
        const path = join(folder, name);
        if (kind === "symlink" && path !== join(directory, "HEAD")) links.push(path);
        else if (kind === "directory" && !(folder === directory && SKIPPED.has(name))) folders.push(path);
      }
    }
    return links;
  }

  async function entriesOf(folder: string) {
    try {
      return await files.listResolved(folder, 0);
    } catch {
      return []; // it is gone, or a link by now, which the folder above tells
    }
  }

  return {
    async know(directories) {
      for (const directory of directories)
        if (!known.has(directory)) known.set(directory, new Set(await linksIn(directory)));
    },
    async planted() {
      const looks = [...known].map(async ([directory, before]) =>
        (await linksIn(directory)).filter((path) => !before.has(path)),
      );
      return (await Promise.all(looks)).flat();
    },
  };
}
