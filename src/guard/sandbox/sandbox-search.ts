import { isBelow, isWithin } from "../../base/files/below.ts";
import type { Confine, Sandbox } from "../../session/guard/sandbox.ts";
import { hiddenPlaces, resolvedHome } from "./policy/hidden-places.ts";
import { ownDirectories } from "./policy/own-directories.ts";
import { wantedPlaces } from "./policy/sandbox-policy.ts";
import type { SandboxSources } from "./policy/sandbox-sources.ts";
import { backendFor } from "./policy/sandbox-sources.ts";

/** Confines the search programs of a session's tools, whether or not a command has run in it. */
export interface SearchSandbox {
  /** Undefined where no sandbox works, or the backend has none for searches. `searched`: absolute and resolved. */
  confine(searched: string): Promise<Confine | undefined>;
}

export function searchSandbox(sources: SandboxSources): SearchSandbox {
  const { world, root, paths } = sources;
  const { files } = world;
  const sandbox: Sandbox = sources.backend ?? backendFor(sources);
  let resolvedBefore: Promise<readonly string[]> | undefined;

  /** Places in the workspace that commands find empty. Those that are reached through links are looked for once. */
  async function hidden(): Promise<readonly string[]> {
    const wanted = await wantedPlaces(sources, await resolvedHome(files, sources.home));
    resolvedBefore ??= Promise.all([hiddenPlaces(files, wanted), ownDirectories(files, paths)]).then((all) =>
      all.flat(),
    );
    const own = wanted.filter((path) => isBelow(root, path));
    const all = [...(await resolvedBefore), ...(own.length === 0 ? [] : await hiddenPlaces(files, own))];
    return [...new Set(all)].filter((path) => isBelow(root, path));
  }

  return {
    async confine(searched) {
      if (sources.settings.backend === "none" || sandbox.prepareSearch === undefined) return undefined;
      if (!isWithin(root, searched)) return await sandbox.prepareSearch({ root: searched, hidden: [] });
      // What is searched by its own name, the gate has let through.
      const masked = (await hidden()).filter((path) => !isWithin(path, searched));
      return await sandbox.prepareSearch({ root, hidden: masked });
    },
  };
}
