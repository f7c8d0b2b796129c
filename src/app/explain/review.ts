import { dirname, join, relative } from "node:path";
import { hasReason } from "../../base/errors.ts";
import { isBelow, isWithin } from "../../base/files/below.ts";
import { DEFAULT_PROFILE } from "../../config/profile-files.ts";
import { trustSection } from "../../config/sections/trust.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { judgeItem } from "../../guard/trust/ledger/judge-item.ts";
import { readNamedLockFile } from "../../guard/trust/ledger/ledger.ts";
import type { Approvals } from "../../guard/trust/ledger/lock-file.ts";
import { renderLockFile } from "../../guard/trust/ledger/lock-file.ts";
import type { FolderItems } from "../../guard/trust/review/find-items.ts";
import {
  readProjectItems,
  readSharedItems,
  readUserItems,
  SETTINGS_FILES,
} from "../../guard/trust/review/find-items.ts";
import { readFileItem, readFolderItem } from "../../guard/trust/review/read-item.ts";
import type { PendingItem, TrustItem, TrustLayout, TrustRecord } from "../../session/guard/trust.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { readProject } from "../plan/open-project.ts";
import type { OpenedSettings } from "../plan/settings.ts";
import { openSettings } from "../plan/settings.ts";

/** Everything that a person can acknowledge here, and the part that is still pending. */
export interface Review {
  /** Root of the project, resolved. */
  readonly root: string;
  readonly items: readonly TrustItem[];
  readonly pending: readonly PendingItem[];
  /** The user's own configuration folder: trusted in one decision (TOFU-02). */
  readonly own: OwnFolder;
  /** `~/.agents`, which the user's programs share: trusted in one decision. */
  readonly shared: OwnFolder;
  /** Plugins that the user's own files name: each is reviewed, and no lock file of a project approves one. */
  readonly plugins: {
    readonly items: readonly TrustItem[];
    readonly pending: readonly PendingItem[];
  };
  /** Sentences for the person: what is never loaded, and what was accepted without a question. */
  readonly notices: readonly string[];
  readonly ledger: TrustRecord;
}

const NOTHING: FolderItems = { items: [], refused: [] };

export interface OwnFolder {
  readonly directory: string;
  readonly items: readonly TrustItem[];
  readonly pending: readonly PendingItem[];
}

interface ReviewOptions
  extends Pick<HarnessOptions, "world" | "paths" | "workingDir" | "profile" | "features"> {
  /** The lock file counts for the judgement; the environment says where `~/.agents` is. */
  readonly wishes: Partial<Pick<SessionWishes, "lockfile" | "environment">>;
  /** Further folders and files of the project: what a session there would load is reviewed too. Resolved. */
  readonly only?: readonly string[];
}

/** Reads and judges every file of a project that cinch would load for the profile, and the user's own (TOFU-04). */
export async function openReview(options: ReviewOptions): Promise<Review> {
  const { world, paths } = options;
  const settings = await settingsToReview(options);
  const { items: all, root, problems } = await readAll(options, settings);
  const { only = [] } = options;
  const items = only.length === 0 ? all : all.filter(({ path }) => only.some((named) => covers(named, path)));
  const { judge } = settings;
  const judged = await judge(items, root);
  const plugins = only.length > 0 ? [] : await pluginsOf(options, settings);
  const pluginsJudged = await judge(plugins, root);
  const home = options.wishes.environment?.["HOME"];
  const shared = home?.startsWith("/") === true ? join(home, ".agents") : undefined;
  const folders = {
    own: await readUserItems(world.files, paths.config, layoutsOf(options)),
    shared:
      home === undefined || shared === undefined
        ? NOTHING
        : await readSharedItems(world.files, home, layoutsOf(options)),
  };
  const projects = new Set(all.map(({ path }) => path));
  async function ownFolder(at: string, found: FolderItems): Promise<OwnFolder> {
    // What lies in both places, as in a home that is a repository, is the project's.
    const userItems = found.items.filter(({ path }) => !projects.has(path));
    const directory = userItems.length === 0 ? at : await world.files.realpath(at);
    const { pending } = await judge(userItems, directory);
    return { directory, items: userItems, pending };
  }
  return {
    root,
    items,
    pending: judged.pending,
    plugins: { items: plugins, pending: pluginsJudged.pending },
    own: await ownFolder(paths.config, folders.own),
    shared: await ownFolder(shared ?? "", folders.shared),
    notices: [
      ...problems,
      ...[...folders.own.refused, ...folders.shared.refused].map(({ path, why }) => `${path} ${why}.`),
      ...judged.notices,
    ],
    ledger: judged.record,
  };
}

async function pluginsOf(
  options: ReviewOptions,
  { config, profile }: OpenedSettings,
): Promise<readonly TrustItem[]> {
  if (config.plugins.length === 0 && profile.plugins.length === 0) return [];
  const { world, paths, workingDir } = options;
  const at = { world, paths, config, profile, workingDir, withoutProject: true, onlyProject: false };
  const found = await Promise.all(options.features.features.map((feature) => feature.trust?.items?.(at)));
  return found.flatMap((each) => each?.items ?? []).filter(({ kind }) => kind === "plugin");
}

/** Returns the files below `.cinch`, `.agents` and the user's folders that count. */
function layoutsOf({ features: { features } }: Pick<ReviewOptions, "features">): readonly TrustLayout[] {
  return [...SETTINGS_FILES, ...features.flatMap(({ trust }) => trust?.layouts ?? [])];
}

/** A folder stands for what is in it, and for the instructions above it that a session there loads too. */
function covers(named: string, path: string): boolean {
  return isWithin(named, path) || isBelow(dirname(path), named);
}

/** Files of a project that differ from a lock file or from the user's own approvals (TOFU-04, TOFU-05). */
export interface Drift {
  /** Below the root, each with what is wrong. */
  readonly paths: readonly string[];
  /** Number of compared files. */
  readonly compared: number;
  /** Name of the approvals that they were compared with. */
  readonly lockfile: string;
}

/** @throws HarnessError PathMissing, TrustLedgerInvalid. */
export async function findDrift(options: ReviewOptions): Promise<Drift> {
  const { world } = options;
  const settings = await settingsToReview(options);
  const { lockfile } = settingsOf(trustSection, { wishes: options.wishes, config: settings.config });
  const { items, root } = await readAll(options, settings);
  if (lockfile === undefined) {
    const { pending } = await settings.judge(items, root);
    const paths = pending.map(({ path, verdict }) => `${path} (${verdict.kind})`);
    return { paths, compared: items.length, lockfile: "your approved.lock" };
  }
  const approvals = await readNamedLockFile(world.files, { path: lockfile, root });
  const drifted: string[] = [];
  for (const item of [...items, ...(await elsewhere(options, approvals, { items, root }))]) {
    const { kind } = judgeItem(item, approvals);
    if (kind !== "trusted") drifted.push(`${relative(root, item.path)} (${kind})`);
  }
  const present = new Set(items.map(({ path }) => path));
  const named = approvals.approved.filter(({ path }) => !present.has(path));
  for (const { path } of named) {
    if ((await world.files.lstat(path)) === undefined) drifted.push(`${relative(root, path)} (gone)`);
  }
  return { paths: drifted, compared: items.length + named.length, lockfile };
}

/** Reads the other files that a lock file names: the instructions of other folders. */
async function elsewhere(
  { world }: ReviewOptions,
  { approved }: Approvals,
  { items, root }: Pick<AllItems, "items" | "root">,
): Promise<readonly TrustItem[]> {
  const known = new Set(items.map(({ path }) => path));
  const found: TrustItem[] = [];
  for (const { kind, path, scope } of approved.filter((entry) => !known.has(entry.path))) {
    const read = kind === "skill" ? readFolderItem : readFileItem;
    const item = await read(world.files, { root, path, kind, scope });
    if (item.kind === "item") found.push(item.item);
  }
  return found;
}

/**
 * Returns a lock file for the current project, with paths below its root. Call it only with everything acknowledged.
 */
export function lockFileOf({ items, root }: Pick<Review, "items" | "root">): string {
  return renderLockFile({ approved: items, directories: [] }, root);
}

/**
 * Reads the settings of a session here. If its profile is a repository's and not acknowledged yet, the default
 * one counts.
 */
async function settingsToReview(options: ReviewOptions): Promise<OpenedSettings> {
  try {
    return await openSettings(options);
  } catch (thrown) {
    if (!hasReason(thrown, "TrustRefused")) throw thrown;
    return await openSettings({ ...options, profile: DEFAULT_PROFILE });
  }
}

interface AllItems {
  readonly items: readonly TrustItem[];
  readonly root: string;
  readonly problems: readonly string[];
}

/** Reads everything of the project that a session in one of these folders would load. */
async function readAll(
  options: ReviewOptions,
  { config, profile }: Pick<OpenedSettings, "config" | "profile">,
): Promise<AllItems> {
  const { world, paths, workingDir, features } = options;
  const readAt = async (folder: string) => {
    const read = await readProject({
      world,
      paths,
      config,
      profile,
      workingDir: folder,
      wishes: {},
      features,
      onlyProject: true,
    });
    return { ...read, items: read.items.filter(({ scope }) => scope === "project") };
  };
  const { root, items: here, problems } = await readAt(workingDir);
  const items = [...here];
  for (const path of options.only ?? []) {
    const folder = (await world.files.stat(path))?.kind === "directory" ? path : dirname(path);
    const other = await readAt(folder);
    if (other.root === root) items.push(...other.items);
  }
  const others = await readProjectItems(world.files, root, layoutsOf(options));
  const unique = new Map([...items, ...others.items].map((item) => [`${item.kind} ${item.path}`, item]));
  const refused = others.refused.map(({ path, why }) => `${relative(root, path)} ${why}.`);
  return { items: [...unique.values()], root, problems: [...new Set([...problems, ...refused])] };
}
