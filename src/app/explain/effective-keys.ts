import { join } from "node:path";
import { durationMs, durationText } from "../../base/text/duration.ts";
import type { Config } from "../../config/config.ts";
import { configKeys, loadConfig } from "../../config/config.ts";
import type { Profile } from "../../config/profile.ts";
import { profileKeys } from "../../config/profile.ts";
import { DEFAULT_PROFILE, EMBEDDED } from "../../config/profile-files.ts";
import { projectKeys } from "../../config/project.ts";
import type { ReadKey } from "../../config/table.ts";
import { keyVariableOf } from "../../credentials/env-keys.ts";
import { readProjectFiles } from "../../guard/trust/project-files.ts";
import { judgeItems } from "../../guard/trust/trust-gate.ts";
import { VENDORS } from "../../providers/vendors.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { HarnessOptions } from "../../session/plan/options.ts";
import { LEVELS } from "../../tools/tool-facts.ts";
import { openProfile } from "../plan/project-profile.ts";
import { defaultValues } from "./default-values.ts";
import { shownValue } from "./shown-value.ts";

/** Where a value stands. */
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
  /** What says something else and does not count, the weightiest first. */
  readonly instead: readonly { readonly value: unknown; readonly from: Origin }[];
}

export interface EffectiveKeys {
  readonly profile: Profile;
  /** What the profile is loaded by. */
  readonly reference: string;
  readonly keys: readonly EffectiveKey[];
  /** Sentences for the person: unknown keys, and files of the project that do not count. */
  readonly notices: readonly string[];
}

interface Said {
  readonly value: unknown;
  readonly from: Origin;
}

/** Keys of config.toml that a profile has under another name. */
const SAME_AS: ReadonlyMap<string, string> = new Map([
  ["max_turns", "limits.rounds"],
  ["max_cost", "limits.cost"],
  ["unknown_price", "limits.unknown_price"],
  ["max_time", "limits.time"],
]);
/** Lists to which every file adds. */
const ADDED_UP: ReadonlySet<string> = new Set([
  "permissions.allow",
  "permissions.ask",
  "permissions.deny",
  "promoted",
  "sandbox.writable",
  "sandbox.hidden",
  "sandbox.pass_env",
  "hooks",
  "mcp_servers",
  "plugins",
  "diagnostics",
]);

/**
 * Every setting with the value that a session here would have, and where that comes from: a flag, the environment, the
 * project, the profile, config.toml, or cinch itself (PROF-03). Nothing is started and nobody is asked: what of the
 * project nobody has acknowledged does not count, and is told.
 * @throws HarnessError as the start of a session does: ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function effectiveKeys(options: HarnessOptions): Promise<EffectiveKeys> {
  const { world, paths } = options;
  const configPath = join(paths.config, "config.toml");
  const config = await loadConfig(world, configPath);
  const root = await world.files.realpath(options.workingDir);
  const reference = options.profile ?? config.defaultProfile ?? DEFAULT_PROFILE;
  const profile = await openProfile(reference, root, options);
  const inConfig = await configKeys(world, configPath);
  const inProfile = await profileKeys(world, reference, join(paths.config, "profiles"));
  const project = await projectSays(options, root, profile);
  const said = new Map<string, Said[]>();
  const add = (key: string, one: Said) => said.set(key, [...(said.get(key) ?? []), one]);
  const known = new Set<string>();

  for (const [key, one] of flagsOf(options)) add(key, one);
  const isEmbedded = profile.path.startsWith(EMBEDDED);
  const ofProfile = () => {
    for (const read of inProfile) {
      const isPreset = read.path !== inProfile[0]?.path && read.key !== "promoted";
      const key = isPreset ? `permissions.${read.key}` : read.key;
      known.add(key);
      if (read.value !== undefined)
        add(key, { value: read.value, from: placeOf(read, isPreset ? "preset" : "profile") });
    }
  };
  const ofConfig = (isModel: boolean) => {
    for (const read of inConfig) {
      const key = SAME_AS.get(read.key) ?? read.key;
      known.add(key);
      if (read.value === undefined || (key === "default_model") !== isModel) continue;
      const named = key === read.key ? {} : { key: read.key };
      add(key, { value: read.value, from: { ...placeOf(read, "config"), ...named } });
    }
  };
  ofConfig(false);
  if (isEmbedded) ofConfig(true); // what an embedded profile names is a suggestion; one of the person's own goes before
  ofProfile();
  if (!isEmbedded) ofConfig(true);

  const defaults = defaultValues(config);
  const keys = [...known].flatMap((key) => {
    const fallback: Said = { value: defaults.get(key) ?? null, from: { kind: "default" } };
    const rows = rowOf(key, { said: said.get(key) ?? [], project: project.says.get(key) ?? [], fallback });
    return options.strictPermissions && key === "permissions.allow" ? rows.map(withoutPreset) : rows;
  });
  return {
    profile,
    reference,
    keys: [profileRow(options, config, reference, inConfig), ...keys, ...keyRows(options, config)].map(
      withoutSecrets,
    ),
    notices: [...profile.warnings, ...project.notices],
  };
}

const STRICT_FLAG = "--strict-permissions";

interface SaidOfKey {
  readonly said: readonly Said[];
  readonly project: readonly Said[];
  /** What holds where nobody says anything. */
  readonly fallback: Said;
}

function rowOf(key: string, { said, project, fallback }: SaidOfKey): readonly EffectiveKey[] {
  const all = [...said, ...(said.length === 0 ? [fallback] : [])];
  const [first = fallback, ...others] = all;
  if (ADDED_UP.has(key)) return addedUp(key, [...said, ...project], fallback);
  const narrower = project.find(({ value }) => isNarrower(key, value, first.value));
  if (narrower !== undefined) return [{ key, ...narrower, instead: [first, ...others] }];
  const strict = key === "permissions.strict" ? all.find(({ value }) => value === true) : undefined;
  if (strict !== undefined) return [{ key, ...strict, instead: all.filter((one) => one !== strict) }];
  return [{ key, ...first, instead: others }];
}

/** What each file adds, as a row of its own. */
function addedUp(key: string, said: readonly Said[], fallback: Said): readonly EffectiveKey[] {
  const entries = said.filter(({ value }) => !Array.isArray(value) || value.length > 0);
  const shown = entries.length > 0 ? entries : [said[0] ?? fallback];
  return shown.map((one) => ({ key, ...one, instead: [] }));
}

/** With `--strict-permissions` no allow rule of an embedded preset counts (see `counts` in `policy.ts`). */
function withoutPreset(row: EffectiveKey): EffectiveKey {
  const { key, value, from } = row;
  if (!("path" in from) || !from.path.startsWith(EMBEDDED)) return row;
  return { key, value: [], from: { kind: "flag", name: STRICT_FLAG }, instead: [{ value, from }] };
}

/** Whether what a project says counts: it can only restrict. */
function isNarrower(key: string, value: unknown, own: unknown): boolean {
  if (key === "permissions.level") return rank(value) < rank(own);
  if (key === "limits.time") return typeof own !== "string" || durationMs(String(value)) < durationMs(own);
  return value !== own;
}

function rank(level: unknown): number {
  return LEVELS.map(String).indexOf(String(level));
}

function placeOf({ path, line }: ReadKey, kind: "config" | "profile" | "preset" | "project"): Origin {
  return path.startsWith(EMBEDDED) ? { kind, path } : { kind, path, line };
}

function flagsOf(options: HarnessOptions): readonly (readonly [string, Said])[] {
  const { level, maxTurns, maxCostUsd, maxTimeMs, model, effort, lockfile, strictPermissions } = options;
  const flag = (name: string, value: unknown): Said => ({ value, from: { kind: "flag", name } });
  return [
    ...(model === undefined ? [] : [["default_model", flag("--model", model)] as const]),
    ...(effort === undefined ? [] : [["thinking.effort", flag("--effort", effort)] as const]),
    ...(level === undefined ? [] : [["permissions.level", flag("--level", level)] as const]),
    ...(maxTurns === undefined ? [] : [["limits.rounds", flag("--max-turns", maxTurns)] as const]),
    ...(maxCostUsd === undefined ? [] : [["limits.cost", flag("--max-cost", maxCostUsd)] as const]),
    ...(maxTimeMs === undefined
      ? []
      : [["limits.time", flag("--max-time", durationText(maxTimeMs))] as const]),
    ...(lockfile === undefined ? [] : [["trust.lockfile", flag("--lockfile", lockfile)] as const]),
    ...(strictPermissions
      ? ([
          ["permissions.quiet", flag(STRICT_FLAG, false)],
          ["permissions.bash_in_sandbox", flag(STRICT_FLAG, "ask")],
        ] as const)
      : []),
    ...(options.withoutProject === true ? [["context_sources", flag("--without-project", [])] as const] : []),
    ...(options.allowProjectHooks === true
      ? [["allow_project_hooks", flag("--allow-project-hooks", true)] as const]
      : []),
  ];
}

function profileRow(
  { profile }: HarnessOptions,
  { defaultProfile }: Config,
  value: string,
  inConfig: readonly ReadKey[],
): EffectiveKey {
  const read = inConfig.find(({ key }) => key === "default_profile");
  const config: Origin =
    read === undefined || defaultProfile === undefined ? { kind: "default" } : placeOf(read, "config");
  if (profile === undefined) return { key: "profile", value, from: config, instead: [] };
  const instead = defaultProfile === undefined ? [] : [{ value: defaultProfile, from: config }];
  return { key: "profile", value, from: { kind: "flag", name: "--profile" }, instead };
}

/** Which providers have a key in the environment; never the key. */
function keyRows({ environment }: HarnessOptions, { providers }: Config): readonly EffectiveKey[] {
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

async function projectSays(options: HarnessOptions, root: string, profile: Profile): Promise<ProjectSays> {
  const { settings, context } = await readProjectFiles(options, root, profile);
  const says = new Map<string, Said[]>();
  if (settings.length === 0) return { says, notices: [] };
  const { pending } = await judgeItems(options, settings, { root: context.root, promoteProse: false });
  const refused = new Map(pending.map(({ item, path }) => [item, path]));
  for (const item of settings) {
    if (refused.has(item)) continue;
    for (const { key, from, value } of await keysOf(item))
      says.set(key, [...(says.get(key) ?? []), { value, from }]);
  }
  const notices = [...refused.values()].map(
    (path) => `${path} was not acknowledged, so nothing of it counts; to look at it: cinch ack`,
  );
  return { says, notices };
}

async function keysOf({ path, kind, files: [file] }: TrustItem) {
  if (kind !== "config" && kind !== "permission-preset") return [];
  const keys = await projectKeys({ path, bytes: file?.bytes ?? new Uint8Array() }, kind);
  return keys.flatMap((read) => {
    if (read.value === undefined) return [];
    const key = kind === "config" ? (SAME_AS.get(read.key) ?? read.key) : `permissions.${read.key}`;
    return [{ key, value: read.value, from: placeOf(read, "project") }];
  });
}

function withoutSecrets(row: EffectiveKey): EffectiveKey {
  const shown = (value: unknown) => shownValue(row.key, value);
  return {
    ...row,
    value: shown(row.value),
    instead: row.instead.map(({ value, from }) => ({ value: shown(value), from })),
  };
}
