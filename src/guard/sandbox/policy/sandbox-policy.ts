import { join, resolve } from "node:path";
import { defined } from "../../../base/defined.ts";
import { reasonText } from "../../../base/reasons.ts";
import type { Files } from "../../../base/world.ts";
import type { NetworkPolicy, SandboxPolicy } from "../../../session/guard/sandbox.ts";
import { repositoryPaths } from "../repository/repository.ts";
import type { RepositoryScan } from "../repository/repository-scan.ts";
import { repositoryScan } from "../repository/repository-scan.ts";
import type { SandboxFolders } from "../sandbox-folders.ts";
import { cinchDirectories } from "./cinch-directories.ts";
import { credentialPaths, expandHome } from "./credential-paths.ts";
import { existingHiddenPaths, resolveHome, startupPaths } from "./hidden-paths.ts";
import { linkTrust } from "./link-trust.ts";
import { writablePaths } from "./link-walk.ts";
import type { PolicyBasis } from "./sandbox-paths.ts";
import {
  foldersBetween,
  protectablePaths,
  temporaryPaths,
  visiblePaths,
  watchedFor,
} from "./sandbox-paths.ts";
import type { SandboxSources } from "./sandbox-sources.ts";

export interface PlannedPolicy extends PolicyBasis {
  readonly policy: SandboxPolicy;
  /** Notices for the user about settings that do not hold. */
  readonly notices: readonly string[];
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
  const { world, root, added = [], paths, settings } = sources;
  const path = sources.programs?.path;
  const { files } = world;
  const { base, temporary, workshop } = folders;
  // By another name of the home, what lies in it would look like something else.
  const home = await resolveHome(files, sources.home);
  const wanted = await pathsToHide(sources, home);
  const denied = sources.denied?.();
  const listed = [...expandedPaths(settings.writable, home), ...added];
  const notices: string[] = [];
  const ofSession = sources.workspace === undefined ? [] : [sources.workspace];
  const trust = await linkTrust(sources, home);
  const writable = await writablePaths(
    files,
    { listed, folders: [root, ...ofSession], isTrusted: trust.isTrusted },
    (left, link) => {
      notices.push(notWritableText(left, link));
    },
  );
  await trust.note([root, ...writable]);
  const { platform } = world.machine;
  const [forbidden, hidden, ownFolders, repository] = await Promise.all([
    Promise.all([root, ...added].map((each) => protectablePaths(files, each, denied?.readOnly ?? []))),
    existingHiddenPaths(files, wanted, { root, home, writable: [...writable, ...ofSession], platform }),
    cinchDirectories(files, paths),
    repositoryPaths(files, { root, scan, ...(home === undefined ? {} : { home }) }),
  ]);
  const beside = await foldersOf(files, writable);
  const others = await repositoriesIn(files, beside, home);
  const isParents = sources.writesCommitsOnly === true;
  const commits = isParents ? repository.commits : undefined;
  const policy: SandboxPolicy = {
    root,
    writable: [
      ...(isParents ? (commits?.writable ?? []) : repository.writable),
      // Git writes to the directory of a worktree, or of a repository around it, as it does for the workspace.
      ...others.flatMap((each, at) => (added.includes(beside[at] ?? "") ? each.writable : [])),
      ...writable,
    ],
    readOnly: [
      ...repository.readOnly,
      ...(commits?.readOnly ?? []),
      ...others.flatMap(({ readOnly }) => readOnly),
      ...[root, ...added].flatMap((each) => startupPaths(home, each)),
      ...forbidden.flat(),
    ],
    visible: visiblePaths(base, [home, ...(path ?? "").split(":"), commits?.repository]),
    hidden: [...hidden, ...ownFolders, ...temporaryPaths(base, root)],
    temporary,
    workshop,
    network: await network(),
  };
  const { folders: above, linked } = await watchedFor(files, wanted);
  const decisive = repository.readOnly.map((place) => place.path);
  const watched = [...new Set([...above, ...decisive, join(root, ".git")])];
  const placed = [...policy.readOnly.map((place) => place.path), ...policy.hidden];
  const parentFolders = new Set(placed.flatMap((path) => foldersBetween(path, [root, ...policy.writable])));
  return {
    policy,
    watched,
    parentFolders: [...parentFolders],
    linked: [...linked, ...listed],
    notices,
    absent: [repository, ...others].flatMap(({ absent }) => absent),
    beside,
    gitDirectories: [repository, ...others].flatMap(({ directories }) => directories),
  };
}

async function repositoriesIn(files: Files, folders: readonly string[], home: string | undefined) {
  const at = (root: string) => ({ root, scan: repositoryScan(files, root), ...defined({ home }) });
  return await Promise.all(folders.map((root) => repositoryPaths(files, at(root))));
}

function notWritableText(path: string, link: string): string {
  return reasonText("SandboxSettingUnmet", {
    effect: `Commands cannot write ${path}`,
    setting: "it under writable",
    why: `${link} is a link that a command or a download can have made`,
    remedy: "list the folder that it leads to",
  });
}

async function foldersOf(files: Files, paths: readonly string[]): Promise<readonly string[]> {
  const kinds = await Promise.all(paths.map(async (path) => (await files.stat(path))?.kind));
  return paths.filter((_, at) => kinds[at] === "directory");
}

/**
 * Returns the paths that commands must not read, existing or not, with links unresolved. `home` is resolved.
 *
 * A workspace that is a usual place of credentials itself, such as `~/.claude`, is left out. An empty folder in its
 * place would lose what commands write, without a word.
 */
export async function pathsToHide(
  sources: SandboxSources,
  home: string | undefined,
): Promise<readonly string[]> {
  const { world, root, added = [], settings, environment = {}, keys } = sources;
  const { platform } = world.machine;
  const places = [
    ...credentialPaths({ home, root, platform, environment, hidden: [] }).filter((path) => path !== root),
    ...expandedPaths(settings.hidden, home),
    ...(
      await Promise.all([root, ...added].map(async (each) => [...((await keys?.linksBelow(each)) ?? [])]))
    ).flatMap((links) => links.map(([path]) => path)),
    ...expandedPaths(await sources.projectHidden(), home).map((each) => resolve(root, each)),
  ];
  return [...places, ...(sources.denied?.().hidden ?? [])];
}

function expandedPaths(listed: readonly string[] | undefined, home: string | undefined): readonly string[] {
  return (listed ?? []).map((each) => expandHome(each, home));
}
