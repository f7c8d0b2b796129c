import { join } from "node:path";
import { isObject } from "../../base/json.ts";
import { durationText } from "../../base/text/duration.ts";
import { configKeys } from "../../config/config.ts";
import { profileKeys } from "../../config/profile.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { projectKeys } from "../../config/project.ts";
import { PROMOTED } from "../../config/promoted.ts";
import { permissionsSection } from "../../config/sections/permissions.ts";
import { profileChoiceSection } from "../../config/sections/profile-keys.ts";
import type { SourcedValue } from "../../config/settings/merge.ts";
import { mergeKey } from "../../config/settings/merge.ts";
import { writtenDefault } from "../../config/settings/read-section.ts";
import { flagValue, inOrder } from "../../config/settings/settings.ts";
import type { WrittenKey } from "../../config/settings/written-keys.ts";
import { keyVariableOf } from "../../credentials/env-keys.ts";
import { settingsFrom } from "../../guard/trust/project-trust.ts";
import { VENDORS } from "../../providers/vendors.ts";
import type { ConfigKey } from "../../session/config-section.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { HarnessOptions } from "../engine/options.ts";
import type { FeatureSet } from "../plan/feature-set.ts";
import { readProject } from "../plan/open-project.ts";
import type { OpenedSettings } from "../plan/settings.ts";
import { openSettings } from "../plan/settings.ts";
import { shownValue } from "./shown-value.ts";

/** Source of a value. */
export type Origin =
  | { readonly kind: "flag"; readonly name: string }
  | { readonly kind: "environment"; readonly name: string }
  /** A file with its line; `key` where it has another name there. A file in the program has no lines. */
  | {
      readonly kind: "config" | "profile" | "preset" | "project";
      readonly path: string;
      readonly line?: number;
      readonly key?: string;
    }
  | { readonly kind: "default" };

/** One setting as a session here would have it. */
export interface EffectiveKey {
  readonly key: string;
  /** Null where nothing is set and there is no default. Never a secret. */
  readonly value: unknown;
  readonly from: Origin;
  /** Other values that do not count, the weightiest first. */
  readonly instead: readonly { readonly value: unknown; readonly from: Origin }[];
}

export interface EffectiveKeys {
  readonly profile: Profile;
  /** Name or path that the profile was loaded by. */
  readonly reference: string;
  readonly keys: readonly EffectiveKey[];
  /** Sentences for the person: unknown keys, and files of the project that are not read or do not count. */
  readonly notices: readonly string[];
}

type Said = SourcedValue<Origin>;

/**
 * Returns every setting with the value that a session here would have, and its source: a flag, the environment, the
 * project, the profile, config.toml, or cinch itself (PROF-03). Nothing is started and nobody is asked: files of the
 * project that nobody has acknowledged do not count, and a notice names them.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function effectiveKeys(options: HarnessOptions): Promise<EffectiveKeys> {
  const {
    world,
    paths,
    features: { sections },
  } = options;
  const root = await world.files.realpath(options.workingDir);
  const settings = await openSettings({ ...options, workingDir: root });
  const { config, reference, profile } = settings;
  const inConfig = await configKeys(world, join(paths.config, "config.toml"), sections);
  const inProfile = await profileKeys(world, reference, join(paths.config, "profiles"), sections);
  const project = await projectSays(options, { ...settings, workingDir: root });
  const known = new Map([...inProfile, ...inConfig].map((key) => [key.id, key] as const));
  const rows = [...new Set([...inConfig, ...inProfile].map(({ id }) => id))].flatMap((id) => {
    const key = known.get(id);
    return key === undefined ? [] : rowsOf(key);
  });
  return {
    profile,
    reference,
    keys: [profileRow(options, config, reference, inConfig), ...rows, ...keyRows(options, config)].map(
      withoutSecrets,
    ),
    notices: [...profile.warnings, ...project.notices],
  };

  function rowsOf({ id, declared, section, merge }: WrittenKey): readonly EffectiveKey[] {
    const declaredRows = inOrder(declared, {
      flag: flagSaid(declared, options),
      config: saidOfKey(id, inConfig, (key) => placeOf(key, "config")),
      profile: saidOfKey(id, inProfile, (key) =>
        placeOf(key, key.path === inProfile[0]?.path || id === PROMOTED ? "profile" : "preset"),
      ),
      isOwnProfile: !profile.path.startsWith(EMBEDDED),
    });
    const fallback: Said = {
      value: writtenDefault(declared, valuesIn(config, section)) ?? null,
      from: { kind: "default" },
    };
    const merged = mergeKey(declared, merge, {
      userValues: declaredRows,
      project: project.says.get(id) ?? [],
      fallback,
    });
    const found = merged.map((each) => ({ key: id, ...each }));
    return options.wishes.strictPermissions && id === ALLOW ? found.map(withoutPreset) : found;
  }
}

const STRICT_FLAG = "--strict-permissions";
const ALLOW = `${permissionsSection.name}.${permissionsSection.keys.allow.key}`;

function saidOfKey(
  id: string,
  keys: readonly WrittenKey[],
  from: (key: WrittenKey) => Origin,
): readonly Said[] {
  return keys.flatMap((key) =>
    key.id === id && key.value !== undefined ? [{ value: key.value, from: from(key) }] : [],
  );
}

/** Returns the values of a section in config.toml, for a default that follows from them. */
function valuesIn({ sections }: Config, section: string): Readonly<Record<string, unknown>> {
  const said = sections.get(section);
  return isObject(said) ? said : {};
}

/** Returns the value of a key's flag, in the form of a file. */
function flagSaid(key: ConfigKey, options: HarnessOptions): readonly Said[] {
  const value = flagValue(key, { ...options.wishes, model: options.model });
  if (value === undefined || key.flag === undefined) return [];
  const written = key.kind === "duration" && typeof value === "number" ? durationText(value) : value;
  return [{ value: written, from: { kind: "flag", name: key.flag.name } }];
}

/** With `--strict-permissions` no allow rule of an embedded preset counts (see `counts` in `policy.ts`). */
function withoutPreset(row: EffectiveKey): EffectiveKey {
  const { key, value, from } = row;
  if (!("path" in from) || !from.path.startsWith(EMBEDDED)) return row;
  return { key, value: [], from: { kind: "flag", name: STRICT_FLAG }, instead: [{ value, from }] };
}

function placeOf(
  { path, line, key, declared }: WrittenKey,
  kind: "config" | "profile" | "preset" | "project",
): Origin {
  if (path.startsWith(EMBEDDED)) return { kind, path };
  return { kind, path, line, ...(kind === "config" && key === declared.configKey ? { key } : {}) };
}

function profileRow(
  { profile }: HarnessOptions,
  { defaultProfile }: Config,
  value: string,
  inConfig: readonly WrittenKey[],
): EffectiveKey {
  const read = inConfig.find(({ declared }) => declared === profileChoiceSection.keys.defaultProfile);
  const config: Origin =
    read === undefined || defaultProfile === undefined ? { kind: "default" } : placeOf(read, "config");
  if (profile === undefined) return { key: "profile", value, from: config, instead: [] };
  const instead = defaultProfile === undefined ? [] : [{ value: defaultProfile, from: config }];
  return { key: "profile", value, from: { kind: "flag", name: "--profile" }, instead };
}

/** Lists the providers that have a key in the environment; never the key. */
function keyRows(
  { wishes: { environment } }: HarnessOptions,
  { providers }: Config,
): readonly EffectiveKey[] {
  const names = [...new Set([...providers, ...VENDORS].map(({ name }) => name))];
  return names.flatMap((name) => {
    const variable = keyVariableOf(name, providers);
    if (variable === undefined || (environment[variable] ?? "").trim() === "") return [];
    const from = { kind: "environment", name: variable } as const;
    return [{ key: `key of ${name}`, value: "(set)", from, instead: [] }];
  });
}

interface ProjectSays {
  readonly says: ReadonlyMap<string, readonly Said[]>;
  readonly notices: readonly string[];
}

async function projectSays(
  options: HarnessOptions,
  { judge, config, profile, workingDir }: OpenedSettings & { readonly workingDir: string },
): Promise<ProjectSays> {
  const place = { ...options, config, profile, workingDir };
  const { settings, root, problems } = await readProject({ ...place, onlyProject: true });
  const says = new Map<string, Said[]>();
  if (settings.length === 0) return { says, notices: problems };
  const { pending } = await judge(settings, root);
  const refused = new Map(pending.map(({ item, path }) => [item, path]));
  for (const item of settings) {
    if (refused.has(item)) continue;
    for (const { key, from, value } of await keysOf(item, options.features))
      says.set(key, [...(says.get(key) ?? []), { value, from }]);
  }
  const notices = [...refused.values()].map(
    (path) => `${path} was not acknowledged, so nothing of it counts; to look at it: cinch ack`,
  );
  return { says, notices: [...problems, ...notices] };
}

async function keysOf(item: TrustItem, { sections }: FeatureSet) {
  const {
    path,
    kind,
    files: [file],
  } = item;
  if (kind !== "config" && kind !== "permission-preset") return [];
  await settingsFrom(item, sections); // throws for what a session would refuse
  const keys = await projectKeys({ path, bytes: file?.bytes ?? new Uint8Array() }, kind, sections);
  return keys.flatMap((key) =>
    key.value === undefined ? [] : [{ key: key.id, value: key.value, from: placeOf(key, "project") }],
  );
}

function withoutSecrets(row: EffectiveKey): EffectiveKey {
  const shown = (value: unknown) => shownValue(row.key, value);
  return {
    ...row,
    value: shown(row.value),
    instead: row.instead.map(({ value, from }) => ({ value: shown(value), from })),
  };
}
