import type { ConfigKey, ConfigSection, SettingsOf } from "../../session/config-section.ts";
import type { SectionValues } from "../../session/settings/settings.ts";
import { EMBEDDED } from "../profile-files.ts";
import type { Given, Merged } from "./merge.ts";
import { mergeKey } from "./merge.ts";
import { codeValue, writtenDefault } from "./read-section.ts";

/** The sources of a session's settings. What is omitted says nothing. */
export interface SettingsSources {
  /** The options of the command line or of the client, by their names. */
  readonly wishes?: object;
  readonly config?: { readonly sections: SectionValues };
  readonly profile?: { readonly sections: SectionValues; readonly path: string };
  /** Acknowledged settings of the repository. They only restrict. */
  readonly project?: readonly { readonly sections: SectionValues }[];
}

export type SourceKind = "flag" | "config" | "profile" | "project" | "default";

/**
 * Returns the settings of a section in a session: flags, `config.toml`, profile and project merged by the declaration,
 * with its defaults.
 */
export function settingsOf<Section extends ConfigSection>(
  section: Section,
  sources: SettingsSources,
): SettingsOf<Section> {
  // The map was filled by the reader of this very declaration.
  if (section.shape === "list" || section.shape === "named")
    return listed(section, sources) as unknown as SettingsOf<Section>;
  const values: Record<string, unknown> = {};
  for (const [property, key] of Object.entries(section.keys)) {
    const merged = mergedValues(section, property, sources, values);
    const value = key.merge === "add" ? merged.flatMap(({ value }) => value ?? []) : merged[0]?.value;
    if (value !== undefined) values[property] = value;
  }
  // Each property is the value of the key that declares it.
  return values as SettingsOf<Section>;
}

function listed(section: ConfigSection, { config, profile }: SettingsSources): readonly unknown[] {
  const [own, others] = [config, profile].map((file) => {
    const entries = file?.sections.get(section.name);
    return Array.isArray(entries) ? entries : [];
  });
  if (section.shape !== "list" || section.sameName !== "first") return [...(own ?? []), ...(others ?? [])];
  const names = new Set(own?.map((entry: object) => Reflect.get(entry, "name")));
  return [
    ...(own ?? []),
    ...(others ?? []).filter((entry: object) => !names.has(Reflect.get(entry, "name"))),
  ];
}

/** Returns the source of the value that counts for a key. */
export function sourceOf<Section extends ConfigSection>(
  section: Section,
  property: keyof Section["keys"] & string,
  sources: SettingsSources,
): SourceKind {
  return mergedValues(section, property, sources, {})[0]?.from ?? "default";
}

/** Returns the values of a key in the order of their weight, without project and default. */
export function givenValues<Section extends ConfigSection>(
  section: Section,
  property: keyof Section["keys"] & string,
  sources: SettingsSources,
): readonly Given<SourceKind>[] {
  const key = section.keys[property];
  return key === undefined ? [] : ownValues(section, property, key, sources);
}

function mergedValues(
  section: ConfigSection,
  property: string,
  sources: SettingsSources,
  said: Readonly<Record<string, unknown>>,
): readonly Merged<SourceKind>[] {
  const key = section.keys[property];
  if (key === undefined) return [];
  const written = writtenDefault(key, said);
  const fallback = {
    value: written === undefined ? undefined : codeValue(key, written),
    from: "default" as const,
  };
  const project = (sources.project ?? []).flatMap(({ sections }) =>
    present(valueIn(sections, section, property), "project"),
  );
  const own = ownValues(section, property, key, sources);
  return mergeKey(key, key.merge ?? "replace", { own, project, fallback });
}

function ownValues(
  section: ConfigSection,
  property: string,
  key: ConfigKey,
  { wishes, config, profile }: SettingsSources,
): readonly Given<SourceKind>[] {
  const inConfig = present(valueIn(config?.sections, section, property), "config");
  const inProfile = present(valueIn(profile?.sections, section, property), "profile");
  return inOrder(key, {
    flag: present(wishes === undefined ? undefined : flagValue(key, wishes), "flag"),
    config: inConfig,
    profile: inProfile,
    isOwnProfile: profile?.path.startsWith(EMBEDDED) === false,
  });
}

/** The order of weight: flag, `config.toml`, profile; an own profile goes first where a key says so. */
export function inOrder<Each>(
  { ownProfileFirst = false }: ConfigKey,
  by: Readonly<Record<"flag" | "config" | "profile", readonly Each[]>> & { readonly isOwnProfile: boolean },
): readonly Each[] {
  const { flag, config, profile, isOwnProfile } = by;
  return ownProfileFirst && isOwnProfile
    ? [...flag, ...profile, ...config]
    : [...flag, ...config, ...profile];
}

/** The value that a flag gives a key, as the code has it; undefined without the flag. */
export function flagValue({ flag }: ConfigKey, options: object): unknown {
  if (flag === undefined) return undefined;
  const given: unknown = Reflect.get(options, flag.option);
  if ("means" in flag) return given === true ? flag.means : undefined;
  return given;
}

function valueIn(sections: SectionValues | undefined, { name }: ConfigSection, property: string): unknown {
  const said = sections?.get(name);
  return typeof said === "object" && said !== null ? Reflect.get(said, property) : undefined;
}

function present(value: unknown, from: SourceKind): readonly Given<SourceKind>[] {
  return value === undefined ? [] : [{ value, from }];
}
