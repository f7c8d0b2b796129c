import { join, relative } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import { repositoryRoot } from "../../config/repository-root.ts";
import type { FoundItems, ReadItems, TrustItem, TrustKind } from "../../session/guard/trust.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import { readProjectItems, readSharedItems, readUserItems } from "./review/find-items.ts";
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

const SETTINGS = [
  { name: "config.toml", kind: "config" },
  { name: "permissions.toml", kind: "permission-preset" },
] as const;

/** Reads what a session loads of its project; with `withoutProject`, only finds its root. */
export async function readProjectFiles({
  world,
  paths,
  config,
  profile,
  workingDir,
  readers,
  onlyProject = false,
  ...wishes
}: ProjectFilesOptions): Promise<ProjectFiles> {
  const { withoutProject = false, allowProjectHooks = false } = wishes;
  const here = await world.files.realpath(workingDir);
  const repository = await repositoryRoot(world.files, here);
  const root = repository ?? here;
  const isRepository = repository !== undefined;
  const place = { world, paths, config, profile, workingDir: here, withoutProject, onlyProject };
  const [own, ...read] = await Promise.all([
    userExtensions(world, { paths, ...wishes }),
    ...readers.map((reader) => reader(place)),
  ]);
  const [{ settings, problems }, hooks, extending] = withoutProject
    ? [{ settings: [], problems: [] }, NONE, NONE]
    : await Promise.all([
        readSettings(world, root),
        readHooks(world, root, allowProjectHooks || profile.allowProjectHooks),
        projectExtensions(world, root),
      ]);
  const ofFeatures = read.flatMap(({ items }) => items);
  const notes = ofFeatures.filter(({ scope }) => scope === "project");
  const users = ofFeatures.filter(({ scope }) => scope !== "project");
  const extensions = [...hooks.items, ...ownAndProjects(own.items, extending.items), ...users];
  return {
    root,
    isRepository,
    settings,
    items: [...notes, ...extensions],
    all: [...notes, ...settings, ...extensions],
    problems: [...read, { problems }, hooks, own, extending].flatMap((each) => each.problems),
  };
}

/** Session and settings for which files are read. */
export interface ProjectFilesOptions
  extends Pick<SessionWishes, "withoutProject" | "withoutShared" | "allowProjectHooks">,
    Partial<Pick<SessionWishes, "environment">> {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly config: Config;
  readonly profile: Profile;
  readonly workingDir: string;
  /** True to read only files of the project; default: the user's files too. */
  readonly onlyProject?: boolean;
  /** Readers of features, in their order. */
  readonly readers: readonly ReadItems[];
}

const NONE: FoundItems = { items: [], problems: [] };
const EXTENSIONS = ["skill", "agent", "prompt-template", "alias-file", "mcp"] as const satisfies TrustKind[];

/** Location of `~/.agents`, and whether it is used. */
type Shared = Partial<Pick<EngineOptions, "environment" | "withoutShared">>;

/** Returns the user's items: those of the configuration folder, and those that programs share in `~/.agents`. */
async function userExtensions(
  { files }: World,
  { paths, environment, withoutShared }: Pick<EngineOptions, "paths"> & Shared,
  kinds: readonly TrustKind[] = EXTENSIONS,
): Promise<FoundItems> {
  const home = withoutShared === true ? undefined : environment?.["HOME"];
  const found = await Promise.all([
    readUserItems(files, paths.config, kinds),
    ...(home?.startsWith("/") === true ? [readSharedItems(files, home, kinds)] : []),
  ]);
  return {
    items: found.flatMap(({ items }) => items),
    problems: found.flatMap(({ refused }) => refused.map(({ path, why }) => `${path} ${why}.`)),
  };
}

/** Joins both; an item in both lists, as in a home that is a repository, is the project's. */
function ownAndProjects(own: readonly TrustItem[], projects: readonly TrustItem[]): readonly TrustItem[] {
  const paths = new Set(projects.map(({ path }) => path));
  return [...own.filter(({ path }) => !paths.has(path)), ...projects];
}

/** Reads the items of one kind that extend a session now. */
export async function readExtensions(
  options: Pick<EngineOptions, "world" | "paths" | "withoutProject"> & Shared,
  root: string,
  kind: TrustKind,
): Promise<FoundItems> {
  const { world, withoutProject = false } = options;
  const [own, projects] = await Promise.all([
    userExtensions(world, options, [kind]),
    withoutProject ? NONE : projectExtensions(world, root, [kind]),
  ]);
  return {
    items: ownAndProjects(own.items, projects.items),
    problems: [...own.problems, ...projects.problems],
  };
}

async function projectExtensions(
  { files }: World,
  root: string,
  kinds: readonly TrustKind[] = EXTENSIONS,
): Promise<FoundItems> {
  const folders = await Promise.all([".cinch", ".agents"].map((name) => files.lstat(join(root, name))));
  if (folders.every((info) => info === undefined)) return NONE;
  const { items, refused } = await readProjectItems(files, root, kinds);
  return { items, problems: refused.map(({ path, why }) => `${relative(root, path)} ${why}.`) };
}

/** Reads a repository's hooks only if they may run; otherwise only reports that there are some. */
async function readHooks({ files }: World, root: string, mayRun: boolean) {
  const present = await Promise.all(HOOK_PLACES.map((name) => files.lstat(join(root, name))));
  if (present.every((info) => info === undefined)) return { items: [], problems: [] };
  if (!mayRun) return { items: [], problems: [HOOKS_ARE_OFF] };
  const { items, refused } = await readProjectItems(files, root, ["hook"]);
  return { items, problems: refused.map(({ path, why }) => `${relative(root, path)} ${why}.`) };
}

const HOOK_PLACES = [".cinch/hooks.toml", ".cinch/hooks"];
const HOOKS_ARE_OFF =
  "This repository has hooks in .cinch. They do not run; with --allow-project-hooks they do, once you have acknowledged each file.";

async function readSettings(
  { files }: World,
  root: string,
): Promise<Pick<ProjectFiles, "settings" | "problems">> {
  const settings: TrustItem[] = [];
  const problems: string[] = [];
  const folder = join(root, ".cinch");
  if ((await files.lstat(folder)) === undefined) return { settings, problems };
  for (const { name, kind } of SETTINGS) {
    const path = join(folder, name);
    const found = await readFileItem(files, { root, path, kind, scope: "project" });
    if (found.kind === "item") settings.push(found.item);
    if (found.kind === "refused") problems.push(`${relative(root, path)} ${found.why}.`);
  }
  return { settings, problems };
}
