import { join } from "node:path";
import type { Files } from "../../../base/world.ts";

/**
 * Links among git's own files, where git makes none: git writes through them, wherever they lead (S22, S26). HEAD may
 * be one, as git once made it: git replaces it and does not write through it.
 */
export interface GitLinks {
  /** Records the links in git directories that are new to it: their author is unknown. */
  know(directories: readonly string[]): Promise<void>;
  /** Returns every link in one git directory now, by path. */
  linksIn(directory: string): Promise<readonly string[]>;
  /** Returns the links that were made since, by path. */
  planted(): Promise<PlantedLinks>;
  /** Returns the known state for JSON. */
  saved(): SavedLinks;
  /** Replaces the known state by a saved one. */
  restore(saved: SavedLinks): void;
}

export type SavedLinks = readonly (readonly [directory: string, found: FoundLinks])[];

export interface PlantedLinks {
  readonly links: readonly string[];
  /** Git directories with so many folders that not all of them can be searched. */
  readonly filled: readonly string[];
}

interface FoundLinks {
  readonly links: readonly string[];
  readonly isWhole: boolean;
}

/** Limit for one git directory; the nearest folders are searched. Each costs a command some fifty microseconds. */
const FOLDERS_MAX = 1_024;
/** Folders in which git writes files with fixed names, or names of branches; in other folders it makes new files. */
const WRITTEN: readonly string[] = ["info", "logs", "rebase-apply", "rebase-merge", "refs", "sequencer"];

export function gitLinks(files: Pick<Files, "listResolved">): GitLinks {
  const known = new Map<string, FoundLinks>();

  async function linksIn(directory: string): Promise<FoundLinks> {
    const links: string[] = [];
    const folders = [directory];
    for (let at = 0; at < folders.length && at < FOLDERS_MAX; at += 1) {
      const folder = folders[at] ?? directory;
      for (const { name, kind } of await entriesOf(folder)) {
        const path = join(folder, name);
        if (kind === "symlink" && path !== join(directory, "HEAD")) links.push(path);
        else if (kind === "directory" && (folder !== directory || WRITTEN.includes(name))) folders.push(path);
      }
    }
    return { links, isWhole: folders.length <= FOLDERS_MAX };
  }

  async function entriesOf(folder: string) {
    try {
      return await files.listResolved(folder, 0);
    } catch {
      return []; // it is gone, or a link by now, which the search of its parent finds
    }
  }

  return {
    async know(directories) {
      for (const directory of directories)
        if (!known.has(directory)) known.set(directory, await linksIn(directory));
    },
    saved: () => [...known],
    restore(saved) {
      known.clear();
      for (const [directory, found] of saved) known.set(directory, found);
    },
    linksIn: async (directory) => (await linksIn(directory)).links,
    async planted() {
      const looks = [...known].map(async ([directory, before]) => {
        const now = await linksIn(directory);
        const links = now.links.filter((path) => !before.links.includes(path));
        return { links, filled: before.isWhole && !now.isWhole ? [directory] : [] };
      });
      const all = await Promise.all(looks);
      return { links: all.flatMap(({ links }) => links), filled: all.flatMap(({ filled }) => filled) };
    },
  };
}
