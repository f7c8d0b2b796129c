import { join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { isBelow } from "../../../base/files/below.ts";
import type { Files, World } from "../../../base/world.ts";
import type { Mistake } from "../../../config/mistakes.ts";
import type { ProfileLook } from "../../../config/profile.ts";
import { loadProfile, lookThroughProfile } from "../../../config/profile.ts";
import { EMBEDDED, isProfilePath } from "../../../config/profile-files.ts";
import { NOT_A_PROJECTS, repositoryProfileMayHold } from "../../../config/project.ts";
import { repositoryRoot } from "../../../config/repository-root.ts";
import { isFileWithin } from "../../../config/run-profile.ts";
import { permissionsSection } from "../../../config/sections/permissions.ts";
import { profileContentSection } from "../../../config/sections/profile-keys.ts";
import { saidOf } from "../../../config/settings/read-section.ts";
import { Table } from "../../../config/table.ts";
import type { TomlFile } from "../../../config/toml.ts";
import { invalid, parseToml } from "../../../config/toml.ts";
import { diagnosticsSection } from "../../../features/diagnostics/config.ts";
import { hooksSection } from "../../../features/hooks/config.ts";
import type { McpServer } from "../../../features/mcp/config.ts";
import { mcpSection } from "../../../features/mcp/config.ts";
import { repositoryServerProblems } from "../../../features/mcp/declared/declared-servers.ts";
import { readProjectItems } from "../../../guard/trust/review/find-items.ts";
import type { FilePosition } from "../../../session/config-section.ts";
import type { JudgeFiles, TrustItem } from "../../../session/guard/trust.ts";
import type { EngineOptions } from "../../../session/options.ts";
import type { Profile } from "../../../session/settings/settings.ts";
import { SECTIONS } from "../sections.ts";

/**
 * Loads the profile of a session. One that lies in a repository's own folders is that repository's: it counts only as
 * it was acknowledged, its presets too, and can only restrict (TOFU-01, PROF-03).
 */
export async function openProfile(
  name: string,
  workingDir: string,
  { world, paths, judge }: Pick<EngineOptions, "world" | "paths"> & { readonly judge: JudgeFiles },
): Promise<Profile> {
  const profiles = join(paths.config, "profiles");
  const place = await profilePlace(name, workingDir, { world, paths });
  if (place.kind !== "project") {
    const profile = await loadProfile(world, name, profiles, SECTIONS);
    if (place.kind === "within")
      throwFirst(mistakesWithin(profile, (key) => ({ path: profile.path, line: 1, key })));
    return profile;
  }
  const { root, path, items } = place;
  const { pending } = await judge(items, root);
  const refused = new Set(pending.map(({ item }) => item));
  const trusted = items.filter((item) => !refused.has(item));
  const file = fileOf(path, trusted);
  if (file === undefined) throw new HarnessError("TrustRefused", { paths: name });
  const toml = await parseToml(path, file.bytes);
  throwFirst(usersMistakes(toml));
  const profile = await loadProfile({ files: held(world.files, root, trusted) }, path, profiles, SECTIONS);
  throwFirst(wideningMistakes(profile, (key) => new Table(toml).where(key)));
  return profile;
}

/** Location of a named profile, which decides what it may say. */
export type ProfilePlace =
  | { readonly kind: "own" }
  /** In the repository that is worked in, outside of its own folders. */
  | { readonly kind: "within" }
  | ProjectsProfile;

/** In the own folders of a repository, with the files there that it can be made of. */
interface ProjectsProfile {
  readonly kind: "project";
  readonly root: string;
  /** Resolved. */
  readonly path: string;
  readonly items: readonly TrustItem[];
}

export async function profilePlace(
  name: string,
  workingDir: string,
  sources: Pick<EngineOptions, "world" | "paths">,
): Promise<ProfilePlace> {
  const { files } = sources.world;
  const root = isProfilePath(name) ? await projectOf(sources.world, name, workingDir) : undefined;
  if (root === undefined) return { kind: (await isFileWithin(workingDir, name, sources)) ? "within" : "own" };
  const { items } = await readProjectItems(files, root, ["profile", "permission-preset"]);
  return { kind: "project", root, path: await files.realpath(name), items };
}

/**
 * All that is wrong in a profile at its place, be it acknowledged or not: what is wrong in any, and what it may not say there.
 * @throws HarnessError ProfileMissing.
 */
export async function lookThroughPlaced(
  name: string,
  workingDir: string,
  { world, paths }: Pick<EngineOptions, "world" | "paths">,
): Promise<ProfileLook> {
  const profiles = join(paths.config, "profiles");
  const place = await profilePlace(name, workingDir, { world, paths });
  if (place.kind !== "project") {
    const look = await lookThroughProfile(world, name, profiles, SECTIONS);
    const { value, where, mistakes } = look;
    if (place.kind === "own" || value === undefined || where === undefined) return look;
    return { ...look, mistakes: [...mistakes, ...mistakesWithin(value, where)] };
  }
  const { root, path, items } = place;
  const look = await lookThroughProfile({ files: held(world.files, root, items) }, path, profiles, SECTIONS);
  const { value, where, mistakes } = look;
  const bytes = fileOf(path, items)?.bytes;
  if (value === undefined || where === undefined || bytes === undefined) return look;
  const users = usersMistakes(await parseToml(path, bytes));
  // What may not be there at all is not told again for what it holds.
  const keys = new Set(users.map(({ key }) => key));
  const others = mistakes.filter(({ key }) => !keys.has(key.split(".")[0] ?? key));
  return { ...look, mistakes: [...users, ...others, ...wideningMistakes(value, where)] };
}

function fileOf(path: string, items: readonly TrustItem[]): TrustItem["files"][number] | undefined {
  return items.find((item) => item.path === path)?.files[0];
}

function throwFirst([first]: readonly Mistake[]): void {
  if (first !== undefined) throw invalid(first.path, first.line, first.key, first.problem);
}

function mistake(where: FilePosition, problem: string): Mistake {
  return { weight: "error", ...where, problem };
}

/** Returns the keys of a repository's profile that only the user may set. */
function usersMistakes(file: TomlFile): readonly Mistake[] {
  const table = new Table(file);
  const users = table.keys().filter((key) => !repositoryProfileMayHold(key, file.value[key], SECTIONS));
  return users.map((key) => mistake(table.where(key), NOT_A_PROJECTS));
}

/** The project in whose own folders a file lies, whatever links lead there. */
async function projectOf({ files }: World, name: string, workingDir: string): Promise<string | undefined> {
  if ((await files.stat(name)) === undefined) return undefined; // loading it tells that
  const path = await files.realpath(name);
  const root = await projectRoot(files, workingDir);
  return [".cinch", ".agents"].some((folder) => isBelow(join(root, folder), path)) ? root : undefined;
}

/** Returns the root of the repository that a folder belongs to, else the folder itself. */
export async function projectRoot(files: Files, workingDir: string): Promise<string> {
  const here = await files.realpath(workingDir);
  return (await repositoryRoot(files, here)) ?? here;
}

/** The file system with the bytes that were acknowledged in place of the project's files, and no others of it. */
function held(files: Files, root: string, items: readonly TrustItem[]): Files {
  const bytes = new Map(items.map(({ path, files: [file] }) => [path, file?.bytes ?? new Uint8Array()]));
  const isOurs = (path: string) => isBelow(root, path);
  return {
    ...files,
    async stat(path) {
      if (!isOurs(path)) return await files.stat(path);
      const size = bytes.get(path)?.length;
      if (size === undefined) return undefined;
      return { kind: "file", size, modifiedMs: 0, mode: 0o600, identity: path };
    },
    async read(path, bytesMax) {
      return bytes.get(path) ?? (await files.read(path, bytesMax));
    },
  };
}

/**
 * Checks a profile that a user named by its path in a repository. All of it holds but programs: a clone brings both (MCP-04,
 * HOOK-02).
 */
function mistakesWithin(
  { sections, allowProjectHooks, permissions }: Omit<Profile, "warnings">,
  at: (key: string) => FilePosition,
): readonly Mistake[] {
  const hooks = saidOf(sections, hooksSection) ?? [];
  const diagnostics = saidOf(sections, diagnosticsSection) ?? [];
  return [
    ...serverMistakes(saidOf(sections, mcpSection) ?? []),
    ...hooks.map(({ where }) => mistake({ ...where, key: "hooks" }, NO_HOOKS)),
    ...permissions.rules
      .filter(({ promoted }) => promoted !== undefined)
      .map(({ where }) => mistake(where, NO_PROMOTED)),
    ...(allowProjectHooks
      ? [mistake(at(profileContentSection.keys.allowProjectHooks.key), NO_LEAVE_FOR_HOOKS)]
      : []),
    ...diagnostics
      .filter(({ unconfined }) => unconfined)
      .map(({ name }) => mistake(at("diagnostics"), `${name}: ${NOT_UNCONFINED}`)),
  ];
}

function serverMistakes(servers: readonly McpServer[]): readonly Mistake[] {
  return repositoryServerProblems(servers).map(({ problem, ...where }) => mistake(where, problem));
}

const NO_HOOKS =
  "a profile that lies in the repository may run no hooks: put it among your own profiles, or the hooks into .cinch/hooks, where they are acknowledged";
const NO_PROMOTED = "a profile that lies in the repository may not say this: put it among your own profiles";
const NO_LEAVE_FOR_HOOKS =
  "a profile that lies in the repository may not say this: put it among your own profiles, or write --allow-project-hooks";
const NOT_UNCONFINED =
  "a profile that lies in the repository may run nothing without a sandbox: take unconfined out, or put the profile among your own";

/** Returns the settings of a repository's profile that would allow more than there is without it. */
function wideningMistakes(
  { permissions, sections }: Omit<Profile, "warnings">,
  at: (key: string) => FilePosition,
): readonly Mistake[] {
  const { level, allow: allowed } = permissionsSection.keys;
  const allow = permissions.rules.find(
    ({ effect, where }) => effect === "allow" && !where.path.startsWith(EMBEDDED),
  );
  return [
    ...(permissions.level === "DangerFullAccess"
      ? [mistake(at(permissionsSection.name), level.refusal)]
      : []),
    ...(allow === undefined ? [] : [mistake(allow.where, allowed.refusal)]),
    ...serverMistakes(saidOf(sections, mcpSection) ?? []),
  ];
}
