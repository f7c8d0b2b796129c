import { isBelow, isWithin } from "../../base/files/below.ts";
import type { Confine, Sandbox } from "../../session/guard/sandbox.ts";
import { cinchDirectories } from "./policy/cinch-directories.ts";
import { existingHiddenPaths, resolveHome } from "./policy/hidden-paths.ts";
import { pathsToHide } from "./policy/sandbox-policy.ts";
import type { SandboxSources } from "./policy/sandbox-sources.ts";
import { backendFor } from "./policy/sandbox-sources.ts";

/** Confines the search programs of a session's tools, whether or not the session has run a command. */
export interface SearchSandbox {
  /**
   * Returns undefined if no sandbox works, or the backend has none for searches. `searched`: absolute and resolved.
   */
  confine(searched: string): Promise<Confine | undefined>;
}

export function searchSandbox(sources: SandboxSources): SearchSandbox {
  const { world, root, added = [], paths, workspace } = sources;
  const { files } = world;
  const sandbox: Sandbox = sources.backend ?? backendFor(sources);
  let resolvedBefore: Promise<readonly string[]> | undefined;

  /**
   * Returns the paths in a folder of the workspace that commands find empty. Paths that are reached through links
   * are resolved once.
   */
  async function hidden(folder: string): Promise<readonly string[]> {
    const home = await resolveHome(files, sources.home);
    const work = {
      root,
      home,
      writable: workspace === undefined ? added : [workspace],
      platform: world.machine.platform,
    };
    const wanted = await pathsToHide(sources, home);
    resolvedBefore ??= Promise.all([
      existingHiddenPaths(files, wanted, work),
      cinchDirectories(files, paths),
    ]).then((all) => all.flat());
    const innerPaths = wanted.filter((path) => isBelow(folder, path));
    const all = [
      ...(await resolvedBefore),
      ...(innerPaths.length === 0 ? [] : await existingHiddenPaths(files, innerPaths, work)),
    ];
    return [...new Set(all)].filter((path) => isBelow(folder, path));
  }

  return {
    async confine(searched) {
      if (sources.settings.backend === "none" || sandbox.prepareSearch === undefined) return undefined;
      const folder = [root, ...added].find((each) => isWithin(each, searched));
      if (folder === undefined) return await sandbox.prepareSearch({ root: searched, hidden: [] });
      // The gate has allowed a path that is searched by its own name.
      const masked = (await hidden(folder)).filter((path) => !isWithin(path, searched));
      return await sandbox.prepareSearch({ root: folder, hidden: masked });
    },
  };
}
