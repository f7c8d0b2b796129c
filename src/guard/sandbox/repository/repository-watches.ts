import type { Files } from "../../../base/world.ts";
import type { GitLinks } from "./git-links.ts";
import { repositoryScan } from "./repository-scan.ts";
import type { RepositoryChange, RepositoryWatch } from "./repository-watch.ts";
import { repositoryWatch } from "./repository-watch.ts";

/**
 * Watches the repositories of several folders that commands can write: the workspace, and the folders under `writable`.
 */
export interface RepositoryWatches extends Pick<RepositoryWatch, "accept" | "look"> {
  /** Adds folders to watch; a watched one stays as it is. Absolute and resolved. */
  add(folders: readonly string[]): Promise<void>;
  saved(): readonly ReturnType<RepositoryWatch["saved"]>[];
}

export function repositoryWatches(
  files: Files,
  workspaceWatch: RepositoryWatch,
  links: GitLinks,
): RepositoryWatches {
  const watches = new Map([[workspaceWatch.saved().root, workspaceWatch]]);
  const all = () => [...watches.values()];
  return {
    async add(folders) {
      for (const root of folders) {
        if (watches.has(root)) continue;
        const watch = repositoryWatch(files, { scan: repositoryScan(files, root), links, root });
        watches.set(root, watch);
        await watch.accept();
      }
    },
    accept: async () => (await Promise.all(all().map((watch) => watch.accept()))).flat(),
    async look(isClosed) {
      // In sequence: if one folder lies in another, its changes are reported once.
      const news: RepositoryChange[] = [];
      const reported = new Set<string>();
      for (const watch of all()) {
        for (const each of await watch.look(isClosed)) if (!reported.has(each.path)) news.push(each);
        for (const { path } of news) reported.add(path);
      }
      return news;
    },
    saved: () => all().map((watch) => watch.saved()),
  };
}
