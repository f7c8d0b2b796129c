import type { ConfigKey, ConfigSection, DeclaredSection, SettingsOf } from "../../session/config-section.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { SectionValues } from "../../session/settings/settings.ts";
import { EMBEDDED } from "../profile-files.ts";
import type { Merged, SourcedValue } from "./merge.ts";
import { mergeKey } from "./merge.ts";
import { codeValue, writtenDefault } from "./read-section.ts";

/** The sources of a session's settings. An omitted source sets nothing. */
export interface SettingsSources {
  /** Wishes of the command line or of the client. */
  readonly wishes?: Partial<SessionWishes>;
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
export function settingsOf<Section extends DeclaredSection>(
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
  const [configValues, profileValues] = [config, profile].map((file) => {
    const entries = file?.sections.get(section.name);
    return Array.isArray(entries) ? entries : [];
  });
  if (section.shape !== "list" || section.sameName !== "first")
    return [...(configValues ?? []), ...(profileValues ?? [])];
  const names = new Set(configValues?.map((entry: object) => Reflect.get(entry, "name")));
  return [
    ...(configValues ?? []),
    ...(profileValues ?? []).filter((entry: object) => !names.has(Reflect.get(entry, "name"))),
  ];
}

/** Returns the source of the effective value of a key. */
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
): readonly SourcedValue<SourceKind>[] {
  const key = section.keys[property];
  return key === undefined ? [] : ownValues(section, property, key, sources);
}

function mergedValues(
  section: DeclaredSection,
  property: string,
  sources: SettingsSources,
  values: Readonly<Record<string, unknown>>,
): readonly Merged<SourceKind>[] {
  const key = section.keys[property];
  if (key === undefined) return [];
  const written = writtenDefault(key, values);
  const fallback = {
    value: written === undefined ? undefined : codeValue(key, written),
    from: "default" as const,
  };
  const project = (sources.project ?? []).flatMap(({ sections }) =>
    present(valueIn(sections, section, property), "project"),
  );
  const userValues = ownValues(section, property, key, sources);
  return mergeKey(key, key.merge ?? "replace", { userValues, project, fallback });
}

function ownValues(
  section: DeclaredSection,
  property: string,
  key: ConfigKey,
  { wishes, config, profile }: SettingsSources,
): readonly SourcedValue<SourceKind>[] {
  const inConfig = present(valueIn(config?.sections, section, property), "config");
  const inProfile = present(valueIn(profile?.sections, section, property), "profile");
  return inOrder(key, {
    flag: present(wishes === undefined ? undefined : flagValue(key, wishes), "flag"),
    config: inConfig,
    profile: inProfile,
    isOwnProfile: profile?.path.startsWith(EMBEDDED) === false,
  });
}

/** Sources in their order: flag, `config.toml`, profile. A profile file of the user goes first for keys declared so. */
export function inOrder<Each>(
  { ownProfileFirst = false }: ConfigKey,
  by: Readonly<Record<"flag" | "config" | "profile", readonly Each[]>> & { readonly isOwnProfile: boolean },
): readonly Each[] {
  const { flag, config, profile, isOwnProfile } = by;
  return ownProfileFirst && isOwnProfile
    ? [...flag, ...profile, ...config]
    : [...flag, ...config, ...profile];
}

/** Returns the value that a flag gives a key, for the code; undefined without the flag. */
export function flagValue({ flag }: ConfigKey, options: object): unknown {
  if (flag === undefined) return undefined;
  const flagValue: unknown = Reflect.get(options, flag.option);
  if ("means" in flag) return flagValue === true ? flag.means : undefined;
  return flagValue;
}

function valueIn(sections: SectionValues | undefined, { name }: DeclaredSection, property: string): unknown {
  const values = sections?.get(name);
  return typeof values === "object" && values !== null ? Reflect.get(values, property) : undefined;
}

function present(value: unknown, from: SourceKind): readonly SourcedValue<SourceKind>[] {
  return value === undefined ? [] : [{ value, from }];
}
