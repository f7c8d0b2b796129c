import { join, resolve } from "node:path";
import type { Files } from "../../../base/world.ts";
import type { NetworkPolicy, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { repositoryPlaces } from "../repository/repository.ts";
import type { RepositoryScan } from "../repository/repository-scan.ts";
import { repositoryScan } from "../repository/repository-scan.ts";
import type { SandboxFolders } from "../sandbox-folders.ts";
import { credentialPlaces, inHome } from "./credential-places.ts";
import { hiddenPlaces, resolvedHome, startupPlaces } from "./hidden-places.ts";
import { ownDirectories } from "./own-directories.ts";
import {
  existing,
  foldersAbove,
  foldersBetween,
  protectable,
  temporaryPlaces,
  visiblePlaces,
} from "./sandbox-places.ts";
import type { SandboxSources } from "./sandbox-sources.ts";

export interface PlannedPolicy {
  readonly policy: SandboxPolicy;
  /** Where something is made or taken away here, or becomes something else, the policy has to be made anew. */
  readonly watched: readonly string[];
  /** Folders of the workspace that are mounted on themselves: where one becomes something else, too. */
  readonly held: readonly string[];
  /** Files that must not be there after a command: see `RepositoryPlaces`. */
  readonly absent: readonly string[];
  /** Folders beside the workspace that commands can write, as the settings name them. */
  readonly beside: readonly string[];
  /** Git directories that commands can write: see `GitLinks`. */
  readonly gitDirectories: readonly string[];
}

/** Looks at the disk for what commands of a session may reach, and what they may not. */
export async function planPolicy(
  sources: SandboxSources,
  folders: SandboxFolders,
  scan: RepositoryScan,
  network: () => Promise<NetworkPolicy>,
): Promise<PlannedPolicy> {
  const { world, root, paths, settings, path } = sources;
  const { files } = world;
  const { base, temporary, workshop } = folders;
  // By its other name, what lies in it would look like something else.
  const home = await resolvedHome(files, sources.home);
  const expanded = (listed: readonly string[] | undefined) => expandedPaths(listed, home);
  const wanted = await wantedPlaces(sources, home);
  const denied = sources.denied?.();
  const [forbidden, hidden, own, repository, writable] = await Promise.all([
    protectable(files, root, denied?.readOnly ?? []),
    hiddenPlaces(files, wanted),
    ownDirectories(files, paths),
    repositoryPlaces(files, { root, scan, ...(home === undefined ? {} : { home }) }),
    existing(files, expanded(settings.writable)),
  ]);
  const beside = await foldersOf(files, writable);
  const others = await Promise.all(
    beside.map((each) =>
      repositoryPlaces(files, {
        root: each,
        scan: repositoryScan(files, each),
        ...(home === undefined ? {} : { home }),
      }),
    ),
  );
  const isParents = sources.gitIsParents === true;
  const commits = isParents ? repository.commits : undefined;
  const policy: SandboxPolicy = {
    root,
    writable: [...(isParents ? (commits?.writable ?? []) : repository.writable), ...writable],
    readOnly: [
      ...repository.readOnly,
      ...(commits?.readOnly ?? []),
      ...others.flatMap(({ readOnly }) => readOnly),
      ...startupPlaces(home, root),
      ...forbidden,
    ],
    visible: visiblePlaces(base, [home, ...(path ?? "").split(":"), commits?.repository]),
    hidden: [...hidden, ...own, ...temporaryPlaces(base, root)],
    temporary,
    workshop,
    network: await network(),
  };
  const above = await foldersAbove(files, wanted);
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

/** Places that commands must not read, there or not, links unresolved. `home` is resolved. */
export async function wantedPlaces(
  sources: SandboxSources,
  home: string | undefined,
): Promise<readonly string[]> {
  const { world, root, settings, environment = {}, keys } = sources;
  const { platform } = world.machine;
  const places = [
    ...credentialPlaces({ home, root, platform, environment, hidden: settings.hidden }),
    ...(keys === undefined ? [] : (await keys.below(root)).keys()),
    ...expandedPaths(await sources.projectHidden(), home).map((each) => resolve(root, each)),
  ];
  return [...places, ...(sources.denied?.().hidden ?? [])];
}

function expandedPaths(listed: readonly string[] | undefined, home: string | undefined): readonly string[] {
  return (listed ?? []).map((each) => inHome(each, home));
}
