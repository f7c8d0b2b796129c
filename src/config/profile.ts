import { basename } from "node:path";
import type { World } from "../base/world.ts";
import type { ConfigSection, FilePosition } from "../session/config-section.ts";
import type { Profile } from "../session/settings/settings.ts";
import type { LookupResult } from "./mistakes.ts";
import {
  EMBEDDED,
  knownFile,
  PRESET_DEFAULT,
  PRESET_NAMES,
  PROFILE_NAMES,
  presetFile,
  presetPath,
  profileFile,
} from "./profile-files.ts";
import { isProfilePath } from "./profile-path.ts";
import { PROMOTED, promotedRules, promotedTable } from "./promoted.ts";
import { modelSection } from "./sections/models.ts";
import { permissionSettings, permissionsSection } from "./sections/permissions.ts";
import { pluginsSection } from "./sections/plugins.ts";
import {
  PROFILE_SCHEMA_VERSION,
  profileContentSection,
  profileHeadSection,
} from "./sections/profile-keys.ts";
import { misplacedKeys } from "./settings/misplaced-keys.ts";
import { readSections, readTable, saidOf } from "./settings/read-section.ts";
import { settingsOf } from "./settings/settings.ts";
import type { WrittenKey } from "./settings/written-keys.ts";
import { listKey, presetKey, writtenKeys, writtenKeysOf } from "./settings/written-keys.ts";
import type { Following } from "./table.ts";
import { Table } from "./table.ts";
import type { TomlFile } from "./toml.ts";
import { invalid } from "./toml.ts";

/**
 * Loads a profile by its name or by the path of its file.
 *
 * A name is searched as `NAME.toml` in the user's folder, then in the program. A path (with a slash, or ending in
 * .toml) must exist. Unknown keys are warnings, so that a file of a newer cinch still loads. For permissions and MCP
 * servers they are errors: a misspelt `deny` or `sha256` must not pass.
 * @throws HarnessError ProfileMissing; ConfigInvalid with file, line and key for an invalid value.
 */
export async function loadProfile(
  world: Pick<World, "files">,
  nameOrPath: string,
  userProfilesDir: string,
  sections: readonly ConfigSection[],
): Promise<Profile> {
  const file = await knownFile(world, nameOrPath, userProfilesDir);
  const sources = { files: world.files, profilesDir: userProfilesDir, sections };
  const { profile, unknown } = await readProfile(sources, file, fileName(nameOrPath), {});
  const warnings = unknown.map(({ path, line, key, problem }) => `${path}:${line}: ${key}: ${problem}`);
  return { ...profile, warnings };
}

/** A profile that was looked through. */
export interface ProfileLookup extends LookupResult<Omit<Profile, "warnings">> {
  /** Returns the position of a key, or the one that it would have. */
  readonly where?: Table["where"];
}

/**
 * Returns all mistakes in a profile and in its preset, unknown keys too.
 * @throws HarnessError ProfileMissing.
 */
export async function lookThroughProfile(
  world: Pick<World, "files">,
  nameOrPath: string,
  userProfilesDir: string,
  sections: readonly ConfigSection[],
): Promise<ProfileLookup> {
  const { mistakesIn } = await import("./mistakes.ts");
  const name = fileName(nameOrPath);
  const { value, mistakes } = await mistakesIn(async (following) => {
    const file = await knownFile(world, nameOrPath, userProfilesDir);
    const sources = { files: world.files, profilesDir: userProfilesDir, sections };
    return await readProfile(sources, file, name, following);
  });
  if (value === undefined) return { mistakes };
  const warnings = [...nameProblems(value, nameOrPath), ...value.unknown];
  return {
    value: value.profile,
    mistakes: [...mistakes, ...warnings.map((each) => ({ weight: "warning", ...each }) as const)],
    where: (...path) => value.table.where(...path),
  };
}

/** Returns the problem of a name that a session would show as that of another profile, or as none; else nothing. */
function nameProblems(
  { profile: { name, path }, table }: Awaited<ReturnType<typeof readProfile>>,
  nameOrPath: string,
): readonly Unknown[] {
  const foundName = fileName(nameOrPath);
  if (name === foundName || path.startsWith(EMBEDDED)) return [];
  const at = table.where("name");
  if (!isProfilePath(nameOrPath))
    return [{ ...at, problem: `sessions show "${name}", and this profile is found as "${foundName}" only` }];
  return PROFILE_NAMES.includes(name)
    ? [{ ...at, problem: `sessions show "${name}", which is a profile of the program too` }]
    : [];
}

/**
 * Returns every key that a profile and its preset may hold, with its value.
 * @param reference the name or path that loaded it before.
 */
export async function profileKeys(
  world: Pick<World, "files">,
  reference: string,
  userProfilesDir: string,
  sections: readonly ConfigSection[],
): Promise<readonly WrittenKey[]> {
  const file = await profileFile(world, reference, userProfilesDir);
  if (file === undefined) return [];
  const table = new Table(file);
  const others = sections.filter((section) => section !== permissionsSection);
  const { table: rules, name } = await permissionsTable(world, table, file, {});
  const promoted = await promotedTable(world, { table, path: file.path, profilesDir: userProfilesDir }, {});
  return [
    ...writtenKeys(table, "profile", others),
    ...(name === undefined ? [] : [presetKey(table)]),
    ...writtenKeysOf(rules, "profile", permissionsSection),
    ...(promoted === undefined ? [] : [listKey(promoted, PROMOTED)]),
  ];
}

/** Returns the name of a profile whose file has none. */
function fileName(nameOrPath: string): string {
  return isProfilePath(nameOrPath) ? basename(nameOrPath).replace(/\.toml$/, "") : nameOrPath;
}

/** Means to read a profile. */
interface Sources extends Pick<World, "files"> {
  /** The user's folder of profiles. */
  readonly profilesDir: string;
  readonly sections: readonly ConfigSection[];
}

/** A problem that still lets a profile load: an unknown key, or a name that leads to another profile. */
interface Unknown extends FilePosition {
  readonly problem: string;
}

async function readProfile(
  { profilesDir, sections, ...world }: Sources,
  file: TomlFile,
  name: string,
  following: Following,
): Promise<{
  readonly profile: Omit<Profile, "warnings">;
  readonly unknown: readonly Unknown[];
  readonly table: Table;
}> {
  const table = new Table(file, [], file.value, following);
  refuseNewer(table);
  const others = sections.filter((section) => section !== permissionsSection);
  const { values, loose } = readSections(table, "profile", others);
  const permissions = await permissionsTable(world, table, file, following);
  const permissionValues = readTable(permissions.table, "profile", permissionsSection);
  const promoted = await promotedRules(world, { table, path: file.path, profilesDir }, following);
  const settings = permissionSettings(permissionValues, (effect) => permissions.table.where(effect));
  const content = settingsOf(profileContentSection, { profile: { sections: values, path: file.path } });
  const profile = {
    name: saidOf(values, profileHeadSection)?.name ?? name,
    path: file.path,
    files: [file.path, permissions.path ?? EMBEDDED, promoted.path ?? EMBEDDED].filter(
      (path) => !path.startsWith(EMBEDDED),
    ),
    sections: new Map([...values, [permissionsSection.name, permissionValues]]),
    ...saidOf(values, modelSection),
    ...content,
    plugins: saidOf(values, pluginsSection)?.paths ?? [],
    permissions: { ...settings, rules: [...settings.rules, ...promoted.rules] },
  };
  return {
    profile,
    // A profile of the program may hold keys of features that this engine does not have.
    unknown: file.path.startsWith(EMBEDDED)
      ? []
      : [
          ...unknownIn(table, misplacedKeys("profile", sections)),
          ...loose.flatMap((each) => unknownIn(each)),
        ],
    table,
  };
}

/** Throws for a file of a newer version, whose other keys may have another meaning. */
function refuseNewer(table: Table): void {
  const { key, min } = profileHeadSection.keys.schemaVersion;
  const version = table.integer(key, min) ?? PROFILE_SCHEMA_VERSION;
  if (version <= PROFILE_SCHEMA_VERSION) return;
  const place = table.where(key);
  const problem = `is ${version}, and this cinch knows ${PROFILE_SCHEMA_VERSION}: upgrade cinch`;
  throw invalid(place.path, place.line, place.key, problem);
}

function unknownIn(table: Table, misplaced?: ReadonlyMap<string, string>): readonly Unknown[] {
  return table.unknown(undefined, misplaced).map(({ key, problem }) => ({ ...table.where(key), problem }));
}

/** The permissions of a profile: its own table, or the preset that it names. */
interface PermissionsTable {
  readonly table: Table;
  /** The name of the preset; undefined for a table in the profile. */
  readonly name?: string;
  /** The file of the preset. */
  readonly path?: string;
}

async function permissionsTable(
  world: Pick<World, "files">,
  table: Table,
  file: TomlFile,
  following: Following,
): Promise<PermissionsTable> {
  const { name: key } = permissionsSection;
  const inline = table.isTable(key) ? table.table(key) : undefined;
  if (inline !== undefined) return { table: inline };
  const name = table.string(key) ?? PRESET_DEFAULT;
  const preset = await presetFile(world, name, file);
  if (preset === undefined) throw table.problem(key, noPreset(name, file));
  const presetTable = new Table(preset, [], preset.value, following);
  return { table: presetTable, name, path: preset.path };
}

function noPreset(name: string, file: TomlFile): string {
  const path = presetPath(name, file);
  const place = path === undefined ? "" : ` at ${path}`;
  return `there is no preset "${name}"${place}; the program has ${PRESET_NAMES.join(", ")}`;
}
