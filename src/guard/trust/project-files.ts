import { join, relative } from "node:path";
import type { World } from "../../base/world.ts";
import type { Profile } from "../../config/profile.ts";
import { profileContentSection } from "../../config/sections/profile-keys.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { ContextFiles } from "../../features/agents-md/agents-md.ts";
import { readContextFiles } from "../../features/agents-md/agents-md.ts";
import type { TrustItem, TrustKind } from "../../session/guard/trust.ts";
import type { HarnessOptions } from "../../session/plan/options.ts";
import { homeFiles, projectFiles, userFiles } from "./review/project-files.ts";
import { readFileItem } from "./review/read-item.ts";

/** What of a project a session would load, read once, and nothing of it judged or parsed yet. */
export interface ProjectFiles {
  readonly context: ContextFiles;
  /** `.cinch/config.toml` and `.cinch/permissions.toml`, where they are there. */
  readonly settings: readonly TrustItem[];
  /** The files of its hooks and their scripts, where they may run at all (HOOK-02). */
  readonly hooks: readonly TrustItem[];
  /**
   * What extends a session: skills, agents, prompt templates, aliases, declarations of MCP servers. The user's own come
   * before the project's.
   */
  readonly extensions: readonly TrustItem[];
  /** Sentences for the person: what is there and is not loaded. */
  readonly problems: readonly string[];
}

const SETTINGS = [
  { name: "config.toml", kind: "config" },
  { name: "permissions.toml", kind: "permission-preset" },
] as const;

/** Reads what a session loads of the project it works in; with `withoutProject`, only where its root is. */
export async function readProjectFiles(
  {
    world,
    withoutProject = false,
    allowProjectHooks = false,
    paths,
    ...shared
  }: Pick<HarnessOptions, "world" | "withoutProject" | "allowProjectHooks"> &
    Shared &
    Partial<Pick<HarnessOptions, "paths">>,
  workingDir: string,
  profile: Profile,
): Promise<ProjectFiles> {
  const wishes = { withoutProject, allowProjectHooks };
  const content = settingsOf(profileContentSection, { wishes, profile });
  const sources = content.contextSources;
  const [context, own] = await Promise.all([
    readContextFiles({ world, workingDir, sources }),
    paths === undefined ? NONE : userExtensions(world, { paths, ...shared }),
  ]);
  if (withoutProject)
    return { context, settings: [], hooks: [], extensions: own.items, problems: own.problems };
  const [{ settings, problems }, hooks, extending] = await Promise.all([
    readSettings(world, context.root),
    readHooks(world, context.root, content.allowProjectHooks),
    projectExtensions(world, context.root),
  ]);
  return {
    context,
    settings,
    hooks: hooks.items,
    extensions: ownAndProjects(own.items, extending.items),
    problems: [...context.problems, ...problems, ...hooks.problems, ...own.problems, ...extending.problems],
  };
}

export interface FoundExtensions {
  readonly items: readonly TrustItem[];
  readonly problems: readonly string[];
}

const NONE: FoundExtensions = { items: [], problems: [] };
const EXTENSIONS = ["skill", "agent", "prompt-template", "alias-file", "mcp"] as const satisfies TrustKind[];

/** Where `~/.agents` is, and whether it counts. */
type Shared = Partial<Pick<HarnessOptions, "environment" | "withoutShared">>;

/** The user's own: of their configuration, and what they share between programs in `~/.agents`. */
async function userExtensions(
  { files }: World,
  { paths, environment, withoutShared }: Pick<HarnessOptions, "paths"> & Shared,
  kinds: readonly TrustKind[] = EXTENSIONS,
): Promise<FoundExtensions> {
  const home = withoutShared === true ? undefined : environment?.["HOME"];
  const found = await Promise.all([
    userFiles(files, paths.config, kinds),
    ...(home?.startsWith("/") === true ? [homeFiles(files, home, kinds)] : []),
  ]);
  return {
    items: found.flatMap(({ items }) => items),
    problems: found.flatMap(({ refused }) => refused.map(({ path, why }) => `${path} ${why}.`)),
  };
}

/** What lies in both places, as in a home that is a repository, is the project's. */
function ownAndProjects(own: readonly TrustItem[], projects: readonly TrustItem[]): readonly TrustItem[] {
  const paths = new Set(projects.map(({ path }) => path));
  return [...own.filter(({ path }) => !paths.has(path)), ...projects];
}

/** What of one kind extends a session now, read anew. */
export async function readExtensions(
  options: Pick<HarnessOptions, "world" | "paths" | "withoutProject"> & Shared,
  root: string,
  kind: TrustKind,
): Promise<FoundExtensions> {
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
): Promise<FoundExtensions> {
  const folders = await Promise.all([".cinch", ".agents"].map((name) => files.lstat(join(root, name))));
  if (folders.every((info) => info === undefined)) return NONE;
  const { items, refused } = await projectFiles(files, root, kinds);
  return { items, problems: refused.map(({ path, why }) => `${relative(root, path)} ${why}.`) };
}

/** A repository's hooks are not even read where they may not run; that it has some is told. */
async function readHooks({ files }: World, root: string, mayRun: boolean) {
  const present = await Promise.all(HOOK_PLACES.map((name) => files.lstat(join(root, name))));
  if (present.every((info) => info === undefined)) return { items: [], problems: [] };
  if (!mayRun) return { items: [], problems: [HOOKS_ARE_OFF] };
  const { items, refused } = await projectFiles(files, root, ["hook"]);
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
