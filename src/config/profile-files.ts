import { dirname, isAbsolute, join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { nearestWords } from "../base/text/near.ts";
import type { World } from "../base/world.ts";
import askPreset from "./presets/ask.toml" with { type: "toml" };
import defaultPreset from "./presets/default.toml" with { type: "toml" };
import readOnlyPreset from "./presets/read-only.toml" with { type: "toml" };
import { isProfilePath } from "./profile-path.ts";
import conformanceProfile from "./profiles/conformance.toml" with { type: "toml" };
import defaultProfile from "./profiles/default.toml" with { type: "toml" };
import selfProfile from "./profiles/self.toml" with { type: "toml" };
import type { TomlFile } from "./toml.ts";
import { readToml } from "./toml.ts";

/** Prefix of the path of a profile in the program. */
export const EMBEDDED = "embedded:";
/** Returns path and line of a setting; the path alone for a file in the program, which has no lines. */
export function positionText({ path, line }: { readonly path: string; readonly line: number }): string {
  return path.startsWith(EMBEDDED) ? path : `${path}:${line}`;
}

/** Name of the profile of a session that names none. */
export const DEFAULT_PROFILE = "default";
/** Name of the profile of `cinch conformance`, whose model plays a script. */
export const CONFORMANCE_PROFILE = "conformance";
/** The preset of a profile that names none. */
export const PRESET_DEFAULT = "preset/default.toml";
const PROFILES: ReadonlyMap<string, unknown> = new Map([
  [DEFAULT_PROFILE, defaultProfile],
  ["self", selfProfile],
  [CONFORMANCE_PROFILE, conformanceProfile],
]);
/** The profiles in the program. */
export const PROFILE_NAMES: readonly string[] = [...PROFILES.keys()];
const PRESETS: ReadonlyMap<string, unknown> = new Map([
  [PRESET_DEFAULT, defaultPreset],
  ["preset/read-only.toml", readOnlyPreset],
  ["preset/ask.toml", askPreset],
]);
/** The presets in the program. */
export const PRESET_NAMES: readonly string[] = [...PRESETS.keys()];

/**
 * Reads the file of a required profile.
 * @throws HarnessError ProfileMissing with the nearest name; ConfigInvalid for invalid TOML.
 */
export async function knownFile(
  world: Pick<World, "files">,
  nameOrPath: string,
  userProfilesDir: string,
): Promise<TomlFile> {
  const file = await profileFile(world, nameOrPath, userProfilesDir);
  if (file !== undefined) return file;
  const known = [...new Set([...PROFILES.keys(), ...(await userProfiles(world, userProfilesDir))])];
  const [nearest] = nearestWords(nameOrPath, known);
  const meant = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  throw new HarnessError("ProfileMissing", { name: nameOrPath, meant, known: known.join(", ") });
}

/**
 * Finds the file of a profile: by its path, or by its name in the user's folder, then in the program. Returns undefined
 * if there is none.
 */
export async function profileFile(
  { files }: Pick<World, "files">,
  nameOrPath: string,
  userProfilesDir: string,
): Promise<TomlFile | undefined> {
  if (isProfilePath(nameOrPath)) return await readToml(files, nameOrPath);
  return (
    (await readToml(files, join(userProfilesDir, `${nameOrPath}.toml`))) ?? embedded(PROFILES, nameOrPath)
  );
}

/**
 * Lists every profile that can be named: the user's own, and those in the program that none of these replaces. A file
 * that a profile names as its rules is not one.
 */
export async function listProfiles(
  world: Pick<World, "files">,
  userProfilesDir: string,
): Promise<readonly { readonly name: string; readonly isOwn: boolean }[]> {
  const userFiles = await userProfiles(world, userProfilesDir);
  const embeddedNames = [...PROFILES.keys()].filter((name) => !userFiles.includes(name));
  return [
    ...userFiles.map((name) => ({ name, isOwn: true })),
    ...embeddedNames.map((name) => ({ name, isOwn: false })),
  ];
}

/** Returns false for the profile in the program that only tests use. */
export function isForPeople({ name, isOwn }: { readonly name: string; readonly isOwn: boolean }): boolean {
  return isOwn || name !== CONFORMANCE_PROFILE;
}

async function userProfiles(world: Pick<World, "files">, directory: string): Promise<readonly string[]> {
  if ((await world.files.stat(directory))?.kind !== "directory") return [];
  const entries = await world.files.list(directory);
  const names = entries.flatMap(({ name }) => (/(?<!\.rules)\.toml$/.test(name) ? [name] : []));
  const paths = names.map((name) => join(directory, name));
  const presets = new Set((await Promise.all(paths.map((path) => namedPreset(world.files, path)))).flat());
  return names
    .filter((name) => !presets.has(join(directory, name)))
    .map((name) => name.slice(0, -".toml".length))
    .sort();
}

/** Returns the file that a profile names as its rules; nothing if it names none, or is itself unreadable. */
async function namedPreset(files: World["files"], path: string): Promise<readonly string[]> {
  const profile = await readToml(files, path).catch((thrown: unknown) => {
    if (thrown instanceof HarnessError) return undefined; // reported when the profile itself is read
    throw thrown;
  });
  const preset = profile?.value["permissions"];
  if (profile === undefined || typeof preset !== "string" || PRESETS.has(preset)) return [];
  const named = presetPath(preset, profile);
  return named === undefined || named === path ? [] : [named];
}

/**
 * Finds the file of a preset: in the program by its name, else beside the profile that names it. Returns undefined if
 * there is none.
 *
 * No file can replace a preset of the program: a model could write one that does not exist yet.
 */
export async function presetFile(
  { files }: Pick<World, "files">,
  name: string,
  profile: TomlFile,
): Promise<TomlFile | undefined> {
  const known = embedded(PRESETS, name);
  const path = presetPath(name, profile);
  if (known !== undefined || path === undefined) return known;
  return (await files.stat(path))?.kind === "directory" ? undefined : await readToml(files, path);
}

/** Returns the path of a preset that the program does not have; undefined for a profile of the program. */
export function presetPath(name: string, profile: TomlFile): string | undefined {
  if (profile.path.startsWith(EMBEDDED)) return undefined;
  return isAbsolute(name) ? name : join(dirname(profile.path), name);
}

function embedded(files: ReadonlyMap<string, unknown>, name: string): TomlFile | undefined {
  const value = files.get(name);
  return isObject(value) ? { path: EMBEDDED + name, text: "", value: value satisfies JsonObject } : undefined;
}
