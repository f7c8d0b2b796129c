import { join, relative } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import { repositoryRoot } from "../../config/repository-root.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type {
  FoundItems,
  ReadItems,
  TrustItem,
  TrustLayout,
  TrustLimitContext,
} from "../../session/guard/trust.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import {
  hasProjectItems,
  PROJECT_FOLDER,
  PROJECT_SETTINGS,
  readProjectItems,
  readSharedItems,
  readUserItems,
} from "./review/find-items.ts";
import { readFileItem } from "./review/read-item.ts";

/** Files of a project that a session would load, read once; nothing of them is judged or parsed yet. */
export interface ProjectFiles {
  /** Root of the repository, or the working directory. Resolved. */
  readonly root: string;
  readonly isRepository: boolean;
  /** `.cinch/config.toml` and `.cinch/permissions.toml`, if they exist. */
  readonly settings: readonly TrustItem[];
  /** All other files that the session would load, the user's before the project's. */
  readonly items: readonly TrustItem[];
  /** Settings and items together, in the order in which a person is asked. */
  readonly all: readonly TrustItem[];
  /** Sentences for the user about files that exist and are not loaded. */
  readonly problems: readonly string[];
}

/** Reads what a session loads of its project; with `withoutProject`, only finds its root. */
export async function readProjectFiles({
  world,
  paths,
  config,
  profile,
  workingDir,
  readers,
  layouts,
  onlyProject = false,
  wishes,
}: ProjectFilesOptions): Promise<ProjectFiles> {
  const { withoutProject = false } = wishes;
  const here = await world.files.realpath(workingDir);
  const repository = await repositoryRoot(world.files, here);
  const root = repository ?? here;
  const isRepository = repository !== undefined;
  const place = { world, paths, config, profile, workingDir: here, withoutProject, onlyProject };
  const limited = layouts.filter(({ limit }) => limit !== undefined);
  const others = layouts.filter(({ limit }) => limit === undefined);
  const [userItems, ...read] = await Promise.all([
    userExtensions({ world, paths, wishes }, others),
    ...readers.map((reader) => reader(place)),
  ]);
  const [{ settings, problems }, before, extending] = withoutProject
    ? [{ settings: [], problems: [] }, NONE, NONE]
    : await Promise.all([
        readSettings(world, root),
        readLimited(world, root, {
          layouts: limited,
          settingsOf: (section) => settingsOf(section, { wishes, config, profile }),
        }),
        projectExtensions(world, root, others),
      ]);
  const ofFeatures = read.flatMap(({ items }) => items);
  const notes = ofFeatures.filter(({ scope }) => scope === "project");
  const users = ofFeatures.filter(({ scope }) => scope !== "project");
  const extensions = [...before.items, ...ownAndProjects(userItems.items, extending.items), ...users];
  return {
    root,
    isRepository,
    settings,
    items: [...notes, ...extensions],
    all: [...notes, ...settings, ...extensions],
    problems: [
      ...new Set([...read, { problems }, before, userItems, extending].flatMap((each) => each.problems)),
    ],
  };
}

/** Session and settings for which files are read. */
export interface ProjectFilesOptions {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly config: Config;
  readonly profile: Profile;
  readonly workingDir: string;
  /** They say which files are read. */
  readonly wishes: Partial<SessionWishes>;
  /** True to read only files of the project; default: the user's files too. */
  readonly onlyProject?: boolean;
  /** Readers of features, in their order. */
  readonly readers: readonly ReadItems[];
  /** Files of features. */
  readonly layouts: readonly TrustLayout[];
}

const NONE: FoundItems = { items: [], problems: [] };

/** Machine and folders of the files that extend a session. */
interface ExtensionSources extends Pick<EngineOptions, "world" | "paths"> {
  readonly wishes: Partial<SessionWishes>;
}

/** Returns the user's items: those of the configuration folder, and those that programs share in `~/.agents`. */
async function userExtensions(
  { world: { files }, paths, wishes: { environment, withoutShared } }: ExtensionSources,
  layouts: readonly TrustLayout[],
): Promise<FoundItems> {
  const home = withoutShared === true ? undefined : environment?.["HOME"];
  const found = await Promise.all([
    readUserItems(files, paths.config, layouts),
    ...(home?.startsWith("/") === true ? [readSharedItems(files, home, layouts)] : []),
  ]);
  return {
    items: found.flatMap(({ items }) => items),
    problems: found.flatMap(({ refused }) => refused.map(({ path, why }) => `${path} ${why}.`)),
  };
}

/** Joins both; an item in both lists, as in a home that is a repository, is the project's. */
function ownAndProjects(
  userItems: readonly TrustItem[],
  projects: readonly TrustItem[],
): readonly TrustItem[] {
  const paths = new Set(projects.map(({ path }) => path));
  return [...userItems.filter(({ path }) => !paths.has(path)), ...projects];
}

/** Reads the items of one feature that extend a session now. */
export async function readExtensions(
  options: ExtensionSources,
  root: string,
  layouts: readonly TrustLayout[],
): Promise<FoundItems> {
  const { world, wishes } = options;
  const [userItems, projects] = await Promise.all([
    userExtensions(options, layouts),
    wishes.withoutProject === true ? NONE : projectExtensions(world, root, layouts),
  ]);
  return {
    items: ownAndProjects(userItems.items, projects.items),
    problems: [...userItems.problems, ...projects.problems],
  };
}

async function projectExtensions(
  { files }: World,
  root: string,
  layouts: readonly TrustLayout[],
): Promise<FoundItems> {
  const folders = await Promise.all([".cinch", ".agents"].map((name) => files.lstat(join(root, name))));
  if (folders.every((info) => info === undefined)) return NONE;
  const { items, refused } = await readProjectItems(files, root, layouts);
  return { items, problems: refused.map(({ path, why }) => `${relative(root, path)} ${why}.`) };
}

/** Reads files of a repository that count only within limits; of those outside, it reports the presence. */
async function readLimited(
  world: World,
  root: string,
  { layouts, ...context }: TrustLimitContext & { readonly layouts: readonly TrustLayout[] },
): Promise<FoundItems> {
  const off = Map.groupBy(layouts, ({ limit }) => limit?.(context));
  const found = await projectExtensions(world, root, off.get(undefined) ?? []);
  const sentences = [...off].map(async ([sentence, outside]) =>
    sentence !== undefined && (await hasProjectItems(world.files, root, outside)) ? [sentence] : [],
  );
  return { items: found.items, problems: [...found.problems, ...(await Promise.all(sentences)).flat()] };
}

/** Reads the settings of a project, and says which of its files are not read. */
export async function readSettings(
  { files }: Pick<World, "files">,
  root: string,
): Promise<Pick<ProjectFiles, "settings" | "problems">> {
  const settings: TrustItem[] = [];
  const problems: string[] = [];
  const folder = join(root, PROJECT_FOLDER);
  if ((await files.lstat(folder)) === undefined) return { settings, problems };
  for (const { name, kind } of PROJECT_SETTINGS) {
    const path = join(folder, name);
    const found = await readFileItem(files, { root, path, kind, scope: "project" });
    if (found.kind === "item") settings.push(found.item);
    if (found.kind === "refused") problems.push(`${relative(root, path)} ${found.why}.`);
  }
  return { settings, problems };
}
