import { join, resolve } from "node:path";
import type { Files } from "../../../base/world.ts";
import type { NetworkPolicy, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { repositoryPaths } from "../repository/repository.ts";
import type { RepositoryScan } from "../repository/repository-scan.ts";
import { repositoryScan } from "../repository/repository-scan.ts";
import type { SandboxFolders } from "../sandbox-folders.ts";
import { cinchDirectories } from "./cinch-directories.ts";
import { credentialPaths, expandHome } from "./credential-paths.ts";
import { existingHiddenPaths, resolveHome, startupPaths } from "./hidden-paths.ts";
import {
  existingPaths,
  foldersBetween,
  nearestFolders,
  protectablePaths,
  temporaryPaths,
  visiblePaths,
} from "./sandbox-paths.ts";
import type { SandboxSources } from "./sandbox-sources.ts";

export interface PlannedPolicy {
  readonly policy: SandboxPolicy;
  /** Paths at which a change (creation, removal, another kind of file) makes the policy out of date. */
  readonly watched: readonly string[];
  /**
   * Folders of the workspace that are mounted on themselves: the policy is out of date when one becomes another kind
   * of file.
   */
  readonly held: readonly string[];
  /** Files that must not exist after a command: see `RepositoryPaths`. */
  readonly absent: readonly string[];
  /** Folders outside the workspace that commands can write, from the settings. */
  readonly beside: readonly string[];
  /** Git directories that commands can write: see `GitLinks`. */
  readonly gitDirectories: readonly string[];
}

/** Inspects the disk and returns the paths that commands of a session may and may not reach. */
export async function planPolicy(
  sources: SandboxSources,
  folders: SandboxFolders,
  scan: RepositoryScan,
  network: () => Promise<NetworkPolicy>,
): Promise<PlannedPolicy> {
  const { world, root, paths, settings, path } = sources;
  const { files } = world;
  const { base, temporary, workshop } = folders;
  // By another name of the home, what lies in it would look like something else.
  const home = await resolveHome(files, sources.home);
  const expanded = (listed: readonly string[] | undefined) => expandedPaths(listed, home);
  const wanted = await pathsToHide(sources, home);
  const denied = sources.denied?.();
  const [forbidden, hidden, own, repository, writable] = await Promise.all([
    protectablePaths(files, root, denied?.readOnly ?? []),
    existingHiddenPaths(files, wanted),
    cinchDirectories(files, paths),
    repositoryPaths(files, { root, scan, ...(home === undefined ? {} : { home }) }),
    existingPaths(files, expanded(settings.writable)),
  ]);
  const beside = await foldersOf(files, writable);
  const others = await Promise.all(
    beside.map((each) =>
      repositoryPaths(files, {
        root: each,
        scan: repositoryScan(files, each),
        ...(home === undefined ? {} : { home }),
      }),
    ),
  );
  const isParents = sources.writesCommitsOnly === true;
  const commits = isParents ? repository.commits : undefined;
  const policy: SandboxPolicy = {
    root,
    writable: [...(isParents ? (commits?.writable ?? []) : repository.writable), ...writable],
    readOnly: [
      ...repository.readOnly,
      ...(commits?.readOnly ?? []),
      ...others.flatMap(({ readOnly }) => readOnly),
      ...startupPaths(home, root),
      ...forbidden,
    ],
    visible: visiblePaths(base, [home, ...(path ?? "").split(":"), commits?.repository]),
    hidden: [...hidden, ...own, ...temporaryPaths(base, root)],
    temporary,
    workshop,
    network: await network(),
  };
  const above = await nearestFolders(files, wanted);
  const decisive = repository.readOnly.map((place) => place.path);
  const watched = [...new Set([...above, ...decisive, join(root, ".git")])];
  const placed = [...policy.readOnly.map((place) => place.path), ...policy.hidden];
  const held = new Set(placed.flatMap((path) => foldersBetween(path, [root, ...policy.writable])));
  return {
    policy,
    watched,
    held: [...held],
    absent: [repository, ...others].flatMap(({ absent }) => absent),
    beside,
    gitDirectories: [repository, ...others].flatMap(({ directories }) => directories),
  };
}

async function foldersOf(files: Files, paths: readonly string[]): Promise<readonly string[]> {
  const kinds = await Promise.all(paths.map(async (path) => (await files.stat(path))?.kind));
  return paths.filter((_, at) => kinds[at] === "directory");
}

/** Returns the paths that commands must not read, existing or not, with links unresolved. `home` is resolved. */
export async function pathsToHide(
  sources: SandboxSources,
  home: string | undefined,
): Promise<readonly string[]> {
  const { world, root, settings, environment = {}, keys } = sources;
  const { platform } = world.machine;
  const places = [
    ...credentialPaths({ home, root, platform, environment, hidden: settings.hidden }),
    ...(keys === undefined ? [] : (await keys.linksBelow(root)).keys()),
    ...expandedPaths(await sources.projectHidden(), home).map((each) => resolve(root, each)),
  ];
  return [...places, ...(sources.denied?.().hidden ?? [])];
}

function expandedPaths(listed: readonly string[] | undefined, home: string | undefined): readonly string[] {
  return (listed ?? []).map((each) => expandHome(each, home));
}
