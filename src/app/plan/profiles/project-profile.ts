import { join } from "node:path";
import { HarnessError } from "../../../base/errors.ts";
import { isBelow } from "../../../base/files/below.ts";
import type { Files, World } from "../../../base/world.ts";
import type { ProfileLookup } from "../../../config/profile.ts";
import { loadProfile, lookThroughProfile } from "../../../config/profile.ts";
import { EMBEDDED } from "../../../config/profile-files.ts";
import { isProfilePath } from "../../../config/profile-path.ts";
import { NOT_A_PROJECTS, repositoryProfileMayHold } from "../../../config/project.ts";
import { repositoryRoot } from "../../../config/repository-root.ts";
import { isFileWithin } from "../../../config/run-profile.ts";
import { permissionsSection } from "../../../config/sections/permissions.ts";
import { saidOf } from "../../../config/settings/read-section.ts";
import { Table } from "../../../config/table.ts";
import type { TomlFile } from "../../../config/toml.ts";
import { invalid, parseToml } from "../../../config/toml.ts";
import { readProjectItems, SETTINGS_FILES } from "../../../guard/trust/review/find-items.ts";
import type { ConfigSection, FilePosition, Mistake } from "../../../session/config-section.ts";
import type { JudgeFiles, TrustItem } from "../../../session/guard/trust.ts";
import type { EngineOptions } from "../../../session/options.ts";
import type { Profile, SectionValues } from "../../../session/settings/settings.ts";
import type { FeatureSet } from "../feature-set.ts";

/** Means to load the profile of a session. */
interface ProfileSources extends Pick<EngineOptions, "world" | "paths"> {
  readonly judge: JudgeFiles;
  /** Sections that it may have. */
  readonly sections: readonly ConfigSection[];
}

/**
 * Loads the profile of a session. One that lies in a repository's own folders is that repository's: it counts only as
 * it was acknowledged, its presets too, and can only restrict (TOFU-01, PROF-03).
 */
export async function openProfile(
  name: string,
  workingDir: string,
  { world, paths, judge, sections }: ProfileSources,
): Promise<Profile> {
  const profiles = join(paths.config, "profiles");
  const location = await profileLocation(name, workingDir, { world, paths });
  if (location.kind !== "project") {
    const profile = await loadProfile(world, name, profiles, sections);
    if (location.kind === "within")
      throwFirst(
        mistakesWithin(profile, sections, (...keys) => ({
          path: profile.path,
          line: 1,
          key: keys.join("."),
        })),
      );
    return profile;
  }
  const { root, path, items } = location;
  const { pending } = await judge(items, root);
  const refused = new Set(pending.map(({ item }) => item));
  const trusted = items.filter((item) => !refused.has(item));
  const file = fileOf(path, trusted);
  if (file === undefined) throw new HarnessError("TrustRefused", { paths: name });
  const toml = await parseToml(path, file.bytes);
  throwFirst(usersMistakes(toml, sections));
  const profile = await loadProfile(
    { files: acknowledgedFiles(world.files, root, trusted) },
    path,
    profiles,
    sections,
  );
  throwFirst(wideningMistakes(profile, sections, (...keys) => new Table(toml).where(...keys)));
  return profile;
}

/** Location of a named profile. It decides which keys the profile may set. */
export type ProfileLocation =
  | { readonly kind: "own" }
  /** In the repository of the working directory, outside its settings folders. */
  | { readonly kind: "within" }
  | ProjectsProfile;

/** Profile in a settings folder of a repository, with the files that it can extend. */
interface ProjectsProfile {
  readonly kind: "project";
  readonly root: string;
  /** Resolved. */
  readonly path: string;
  readonly items: readonly TrustItem[];
}

export async function profileLocation(
  name: string,
  workingDir: string,
  sources: Pick<EngineOptions, "world" | "paths">,
): Promise<ProfileLocation> {
  const { files } = sources.world;
  const root = isProfilePath(name) ? await projectOf(sources.world, name, workingDir) : undefined;
  if (root === undefined) return { kind: (await isFileWithin(workingDir, name, sources)) ? "within" : "own" };
  const layouts = SETTINGS_FILES.filter(({ kind }) => kind !== "config");
  const { items } = await readProjectItems(files, root, layouts);
  return { kind: "project", root, path: await files.realpath(name), items };
}

/**
 * Returns all mistakes of a profile, acknowledged or not: wrong values, and keys that its location does not allow.
 * @throws HarnessError ProfileMissing.
 */
export async function lookThroughPlaced(
  name: string,
  workingDir: string,
  { world, paths, sections }: Pick<EngineOptions, "world" | "paths"> & Pick<FeatureSet, "sections">,
): Promise<ProfileLookup> {
  const profiles = join(paths.config, "profiles");
  const location = await profileLocation(name, workingDir, { world, paths });
  if (location.kind !== "project") {
    const look = await lookThroughProfile(world, name, profiles, sections);
    const { value, where, mistakes } = look;
    if (location.kind === "own" || value === undefined || where === undefined) return look;
    return { ...look, mistakes: [...mistakes, ...mistakesWithin(value, sections, where)] };
  }
  const { root, path, items } = location;
  const look = await lookThroughProfile(
    { files: acknowledgedFiles(world.files, root, items) },
    path,
    profiles,
    sections,
  );
  const { value, where, mistakes } = look;
  const bytes = fileOf(path, items)?.bytes;
  if (value === undefined || where === undefined || bytes === undefined) return look;
  const users = usersMistakes(await parseToml(path, bytes), sections);
  // What may not be there at all is not told again for what it holds.
  const keys = new Set(users.map(({ key }) => key));
  const others = mistakes.filter(({ key }) => !keys.has(key.split(".")[0] ?? key));
  return { ...look, mistakes: [...users, ...others, ...wideningMistakes(value, sections, where)] };
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
function usersMistakes(file: TomlFile, sections: readonly ConfigSection[]): readonly Mistake[] {
  const table = new Table(file);
  const users = table.keys().filter((key) => !repositoryProfileMayHold(key, file.value[key], sections));
  return users.map((key) => mistake(table.where(key), NOT_A_PROJECTS));
}

/** Returns the project in whose settings folders a file lies, with links resolved. */
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

/**
 * Returns a file system that has only the acknowledged bytes of the project's files, and no other file of the project.
 */
function acknowledgedFiles(files: Files, root: string, items: readonly TrustItem[]): Files {
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
 * Checks a profile that a user named by its path in a repository. All of it holds but programs: a clone brings both
 * (MCP-04, HOOK-02).
 */
function mistakesWithin(
  { sections, permissions }: Omit<Profile, "warnings">,
  declared: readonly ConfigSection[],
  at: Table["where"],
): readonly Mistake[] {
  return [
    ...refusedEntries(declared, sections, at),
    ...permissions.rules
      .filter(({ promoted }) => promoted !== undefined)
      .map(({ where }) => mistake(where, NO_PROMOTED)),
    ...refusedSwitches(declared, sections, at),
  ];
}

/** Returns the entries of lists that these sections may not hold in a repository. */
function refusedEntries(
  sections: readonly ConfigSection[],
  values: SectionValues,
  at: Table["where"],
): readonly Mistake[] {
  return sections.flatMap((section) => {
    if (section.shape !== "list" || section.checkInRepository === undefined) return [];
    const entries = saidOf(values, section) ?? [];
    return section
      .checkInRepository(entries, at(section.name))
      .map(({ problem, ...where }) => mistake(where, problem));
  });
}

/** Returns the keys of these sections that may not be true in a repository. */
function refusedSwitches(
  sections: readonly ConfigSection[],
  values: SectionValues,
  at: Table["where"],
): readonly Mistake[] {
  return sections.flatMap((section) => {
    if (section.shape === "list" || section.shape === "named") return [];
    const said: Readonly<Record<string, unknown>> = saidOf(values, section) ?? {};
    return Object.entries(section.keys).flatMap(([property, key]) => {
      if (key.kind !== "boolean" || key.refusalInRepository === undefined) return [];
      const where = section.shape === "top" ? at(key.key) : at(section.name, key.key);
      return said[property] === true ? [mistake(where, key.refusalInRepository)] : [];
    });
  });
}

const NO_PROMOTED = "a profile that lies in the repository may not say this: put it among your own profiles";
/** Returns the settings of a repository's profile that would allow more than there is without it. */
function wideningMistakes(
  { permissions, sections }: Omit<Profile, "warnings">,
  declared: readonly ConfigSection[],
  at: Table["where"],
): readonly Mistake[] {
  const { level, allow: allowed } = permissionsSection.keys;
  const inRepository = declared.filter(({ inRepositoryProfile }) => inRepositoryProfile === true);
  const allow = permissions.rules.find(
    ({ effect, where }) => effect === "allow" && !where.path.startsWith(EMBEDDED),
  );
  return [
    ...(permissions.level === "DangerFullAccess"
      ? [mistake(at(permissionsSection.name), level.refusal)]
      : []),
    ...(allow === undefined ? [] : [mistake(allow.where, allowed.refusal)]),
    ...refusedEntries(inRepository, sections, at),
    ...refusedSwitches(inRepository, sections, at),
  ];
}
