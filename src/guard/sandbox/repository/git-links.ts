import { join } from "node:path";
import type { Files } from "../../../base/world.ts";

/**
 * Links among git's own files, where git makes none: it writes through them, wherever they lead (S22, S26). HEAD may be one,
 * as git once made it, and is replaced and not written through.
 */
export interface GitLinks {
  /** Takes what there is in git directories that were not looked at before: who made that is not known. */
  know(directories: readonly string[]): Promise<void>;
  /** Every link in one git directory now, by paths. */
  linksIn(directory: string): Promise<readonly string[]>;
  /** What came to be in them since, by paths. */
  planted(): Promise<PlantedLinks>;
  /** Returns what is known, as JSON can hold it. */
  saved(): SavedLinks;
  /** Takes what was saved as known, in place of what is there now. */
  restore(saved: SavedLinks): void;
}

export type SavedLinks = readonly (readonly [directory: string, found: Found])[];

export interface PlantedLinks {
  readonly links: readonly string[];
  /** Git directories that were filled with folders until not all of them can be looked at. */
  readonly filled: readonly string[];
}

interface Found {
  readonly links: readonly string[];
  readonly isWhole: boolean;
}

/** Of one git directory; the nearest are looked at. Each costs a command some fifty microseconds. */
const FOLDERS_MAX = 1_024;
/** Where git writes files by names that do not change, or by those of branches; other folders hold what it makes anew. */
const WRITTEN: readonly string[] = ["info", "logs", "rebase-apply", "rebase-merge", "refs", "sequencer"];

export function gitLinks(files: Pick<Files, "listResolved">): GitLinks {
  const known = new Map<string, Found>();

  async function linksIn(directory: string): Promise<Found> {
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
      return []; // it is gone, or a link by now, which the folder above tells
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
