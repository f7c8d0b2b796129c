import { basename } from "node:path";
import type { World } from "../base/world.ts";
import type { UnknownPrice } from "../providers/provider.ts";
import { UNKNOWN_PRICES } from "../providers/provider.ts";
import { durationFrom } from "./duration-key.ts";
import type { McpServer } from "./mcp/mcp.ts";
import { mcpServersFrom } from "./mcp/mcp.ts";
import type { Look } from "./mistakes.ts";
import {
  EMBEDDED,
  isProfilePath,
  knownFile,
  PRESET_DEFAULT,
  PRESET_NAMES,
  PROFILE_NAMES,
  presetFile,
  presetPath,
  profileFile,
} from "./profile-files.ts";
import { promotedRules } from "./promoted.ts";
import { modelName } from "./providers/model-name.ts";
import type { ThinkingKeys } from "./providers/thinking.ts";
import { thinkingFrom } from "./providers/thinking.ts";
import type { AgentKeys, DelegateKeys } from "./sections/agents.ts";
import { agentsFrom, delegateFrom } from "./sections/agents.ts";
import type { CheckpointKeys } from "./sections/checkpoint.ts";
import { checkpointFrom } from "./sections/checkpoint.ts";
import type { CompactionKeys } from "./sections/compaction.ts";
import { compactionFrom } from "./sections/compaction.ts";
import type { DiagnosticKeys } from "./sections/diagnostics.ts";
import { diagnosticsFrom } from "./sections/diagnostics.ts";
import type { ConfiguredHook } from "./sections/hooks.ts";
import { hooksFrom } from "./sections/hooks.ts";
import type { MemoryKeys } from "./sections/memory.ts";
import { memoryFrom } from "./sections/memory.ts";
import type { PermissionSettings } from "./sections/permissions.ts";
import { permissionsFrom } from "./sections/permissions.ts";
import { pluginsFrom } from "./sections/plugins.ts";
import type { SandboxSettings } from "./sections/sandbox.ts";
import { sandboxFrom } from "./sections/sandbox.ts";
import type { SessionKeys } from "./sections/session-settings.ts";
import { sessionFrom } from "./sections/session-settings.ts";
import type { TaskKeys } from "./sections/tasks.ts";
import { tasksFrom } from "./sections/tasks.ts";
import type { Following, ReadKey, Where } from "./table.ts";
import { readKeys, Table } from "./table.ts";
import type { TomlFile } from "./toml.ts";
import { invalid } from "./toml.ts";

export const PROFILE_SCHEMA_VERSION = 1;
/** It stands in logs, in texts for people and in telemetry. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;
export const TOOL_EXECUTIONS = ["sequential", "parallel-read-only"] as const;
/** What a profile says that says nothing of these. */
export const PROFILE_DEFAULTS = {
  promptHeader: "",
  contextSources: ["AGENTS.md"],
  skillPacks: [],
  toolPacks: ["builtin"],
  toolExecution: TOOL_EXECUTIONS[0],
  allowProjectHooks: false,
} as const;

/** What a session is made of, as one file says it ([A] § Profiles, PROF-01). A third profile needs no code. */
export interface Profile {
  readonly name: string;
  /** The file it came from; `embedded:NAME` for those in the program. */
  readonly path: string;
  /** All files on the disk that it was read from: its own, and that of its preset. Who can write one, steers cinch. */
  readonly files: readonly string[];
  readonly defaultModel?: string;
  readonly promptHeader: string;
  readonly contextSources: readonly string[];
  readonly skillPacks: readonly string[];
  readonly toolPacks: readonly string[];
  readonly mcpServers: readonly McpServer[];
  readonly plugins: readonly string[];
  readonly permissions: PermissionSettings;
  readonly sandbox?: SandboxSettings;
  readonly thinking?: ThinkingKeys;
  readonly compaction?: CompactionKeys;
  readonly session?: SessionKeys;
  readonly checkpoint?: CheckpointKeys;
  readonly memory?: MemoryKeys;
  readonly tasks?: TaskKeys;
  readonly agents?: AgentKeys;
  readonly delegate?: DelegateKeys;
  readonly hooks: readonly ConfiguredHook[];
  readonly diagnostics: readonly DiagnosticKeys[];
  readonly allowProjectHooks: boolean;
  readonly toolExecution: (typeof TOOL_EXECUTIONS)[number];
  readonly limits: ProfileLimits;
  /** As `promote_prose` of config.toml's `[trust]`. */
  readonly promoteProse: boolean;
  /** Sentences for the person: keys that are not known here. */
  readonly warnings: readonly string[];
}

/** What is absent stays at the engine's own limit. */
export interface ProfileLimits {
  readonly rounds?: number;
  /** US dollars for a session. */
  readonly costUsd?: number;
  readonly unknownPrice?: UnknownPrice;
  readonly timeMs?: number;
  readonly outputTokens?: number;
  readonly permissionTimeoutMs?: number;
  /** How often in a row the same call may fail, and succeed with the same result, before the turn is ended. */
  readonly repeatedFailures?: number;
  readonly repeatedResults?: number;
}

/**
 * Loads a profile by its name or by the path of its file.
 *
 * A name is looked for as `NAME.toml` in the user's folder, then in the program; a path (with a slash, or ending in
 * .toml) must exist. Unknown keys are warnings, so that a file of a newer cinch still loads; but for
 * permissions and MCP servers they are errors, since a misspelt `deny` or `sha256` must not pass.
 * @throws HarnessError ProfileMissing; ConfigInvalid with file, line and key for a value that is none.
 */
export async function loadProfile(
  world: Pick<World, "files">,
  nameOrPath: string,
  userProfilesDir: string,
): Promise<Profile> {
  const file = await knownFile(world, nameOrPath, userProfilesDir);
  return profileFrom({ files: world.files, profilesDir: userProfilesDir }, file, fileName(nameOrPath));
}

/** A profile that was looked through. */
export interface ProfileLook extends Look<Omit<Profile, "warnings">> {
  /** Where one of its keys stands, or would. */
  readonly where?: Table["where"];
}

/**
 * All that is wrong in a profile and in its preset, unknown keys too.
 * @throws HarnessError ProfileMissing.
 */
export async function lookThroughProfile(
  world: Pick<World, "files">,
  nameOrPath: string,
  userProfilesDir: string,
): Promise<ProfileLook> {
  const { mistakesIn } = await import("./mistakes.ts");
  const name = fileName(nameOrPath);
  const { value, mistakes } = await mistakesIn(async (following) => {
    const file = await knownFile(world, nameOrPath, userProfilesDir);
    return await readProfile({ files: world.files, profilesDir: userProfilesDir }, file, name, following);
  });
  if (value === undefined) return { mistakes };
  const warnings = [...nameProblems(value, nameOrPath), ...value.unknown];
  return {
    value: value.profile,
    mistakes: [...mistakes, ...warnings.map((each) => ({ weight: "warning", ...each }) as const)],
    where: (...path) => value.table.where(...path),
  };
}

/** A name that stands for another profile, or for none, wherever a session shows it. */
function nameProblems(
  { profile: { name, path }, table }: Awaited<ReturnType<typeof readProfile>>,
  nameOrPath: string,
): readonly Unknown[] {
  const own = fileName(nameOrPath);
  if (name === own || path.startsWith(EMBEDDED)) return [];
  const at = table.where("name");
  if (!isProfilePath(nameOrPath))
    return [{ ...at, problem: `sessions show "${name}", and this profile is found as "${own}" only` }];
  return PROFILE_NAMES.includes(name)
    ? [{ ...at, problem: `sessions show "${name}", which is a profile of the program too` }]
    : [];
}

/**
 * Every key that a profile and its preset may hold, with what stands there.
 * @param reference what the profile is loaded by; it has been loaded before.
 */
export async function profileKeys(
  world: Pick<World, "files">,
  reference: string,
  userProfilesDir: string,
): Promise<readonly ReadKey[]> {
  const file = await profileFile(world, reference, userProfilesDir);
  if (file === undefined) return [];
  return await readKeys(file, (_table, following) =>
    profileFrom({ files: world.files, profilesDir: userProfilesDir }, file, fileName(reference), following),
  );
}

/** What a profile is called whose file does not say it. */
function fileName(nameOrPath: string): string {
  return isProfilePath(nameOrPath) ? basename(nameOrPath).replace(/\.toml$/, "") : nameOrPath;
}

/** Means to read a profile. */
interface Sources extends Pick<World, "files"> {
  /** The user's folder of profiles. */
  readonly profilesDir: string;
}

async function profileFrom(
  sources: Sources,
  file: TomlFile,
  name: string,
  following: Following = {},
): Promise<Profile> {
  const { profile, unknown } = await readProfile(sources, file, name, following);
  const warnings = unknown.map(({ path, line, key, problem }) => `${path}:${line}: ${key}: ${problem}`);
  return { ...profile, warnings };
}

/** What a profile may hold: a key that is not known, or a name that leads to another one. */
interface Unknown extends Where {
  readonly problem: string;
}

async function readProfile(
  { profilesDir, ...world }: Sources,
  file: TomlFile,
  name: string,
  following: Following,
): Promise<{
  readonly profile: Omit<Profile, "warnings">;
  readonly unknown: readonly Unknown[];
  readonly table: Table;
}> {
  const table = new Table(file, [], file.value, following);
  const version = table.integer("schema_version", 1) ?? PROFILE_SCHEMA_VERSION;
  if (version > PROFILE_SCHEMA_VERSION) {
    const { path, line, key } = table.where("schema_version");
    // Not an error of a key that one could read on without: what else a newer file says has a meaning of its own.
    throw invalid(
      path,
      line,
      key,
      `is ${version}, and this cinch knows ${PROFILE_SCHEMA_VERSION}: upgrade cinch`,
    );
  }
  const named = table.string("name") ?? name;
  if (!NAME.test(named)) throw table.problem("name", "must be one line of 1 to 64 printable characters");
  const defaultModel = table.string("default_model");
  const limits = table.table("limits");
  const sandbox = sandboxFrom(table);
  const permissions = await permissionSettings(world, table, file, following);
  const promoted = await promotedRules(world, { table, path: file.path, profilesDir }, following);
  const profile = {
    name: named,
    path: file.path,
    files: [file.path, permissions.path ?? EMBEDDED, promoted.path ?? EMBEDDED].filter(
      (path) => !path.startsWith(EMBEDDED),
    ),
    ...(defaultModel === undefined ? {} : { defaultModel: modelName(table, "default_model", defaultModel) }),
    promptHeader: (table.string("prompt_header") ?? PROFILE_DEFAULTS.promptHeader).trim(),
    contextSources: table.strings("context_sources") ?? PROFILE_DEFAULTS.contextSources,
    skillPacks: table.strings("skill_packs") ?? PROFILE_DEFAULTS.skillPacks,
    toolPacks: table.strings("tool_packs") ?? PROFILE_DEFAULTS.toolPacks,
    mcpServers: mcpServersFrom(table),
    plugins: pluginsFrom(table),
    permissions: {
      ...permissions.settings,
      rules: [...permissions.settings.rules, ...promoted.rules],
    },
    ...(sandbox === undefined ? {} : { sandbox }),
    ...thinkingFrom(table),
    ...compactionFrom(table),
    ...sessionFrom(table),
    ...checkpointFrom(table),
    ...memoryFrom(table),
    ...agentsFrom(table),
    ...delegateFrom(table),
    ...tasksFrom(table),
    hooks: hooksFrom(table),
    diagnostics: diagnosticsFrom(table),
    allowProjectHooks: table.boolean("allow_project_hooks") ?? PROFILE_DEFAULTS.allowProjectHooks,
    toolExecution: table.oneOf("tool_execution", TOOL_EXECUTIONS) ?? PROFILE_DEFAULTS.toolExecution,
    limits: limits === undefined ? {} : limitsFrom(limits),
    promoteProse: promoteProseFrom(table),
  };
  const tables = [table, ...(limits === undefined ? [] : [limits])];
  return { profile, unknown: tables.flatMap(unknownIn), table };
}

function unknownIn(table: Table): readonly Unknown[] {
  return table.unknown().map(({ key, problem }) => ({ ...table.where(key), problem }));
}

/** Those of a preset that the profile names, or the settings themselves as a table. */
async function permissionSettings(
  world: Pick<World, "files">,
  table: Table,
  file: TomlFile,
  following: Following,
): Promise<{ readonly settings: PermissionSettings; readonly path?: string }> {
  const inline = table.isTable("permissions") ? table.table("permissions") : undefined;
  if (inline !== undefined) return { settings: read(inline) };
  const name = table.string("permissions") ?? PRESET_DEFAULT;
  const preset = await presetFile(world, name, file);
  if (preset === undefined) throw table.problem("permissions", noPreset(name, file));
  return { settings: read(new Table(preset, [], preset.value, following)), path: preset.path };

  function read(source: Table): PermissionSettings {
    const settings = permissionsFrom(source);
    source.refuseUnknown(); // a misspelt `deny` must not pass
    return settings;
  }
}

function noPreset(name: string, file: TomlFile): string {
  const path = presetPath(name, file);
  const place = path === undefined ? "" : ` at ${path}`;
  return `there is no preset "${name}"${place}; the program has ${PRESET_NAMES.join(", ")}`;
}

function promoteProseFrom(parent: Table): boolean {
  const table = parent.table("trust");
  const promote = table?.boolean("promote_prose") ?? false;
  table?.refuseUnknown(); // what loosens something must be spelled right
  return promote;
}

function limitsFrom(table: Table): ProfileLimits {
  const rounds = table.integer("rounds", 1);
  const costUsd = table.number("cost", 0);
  const unknownPrice = table.oneOf("unknown_price", UNKNOWN_PRICES);
  const timeMs = durationFrom(table, "time", table.string("time"));
  const outputTokens = table.integer("output_tokens", 1);
  const permissionTimeout = table.number("permission_timeout", 1);
  const repeatedFailures = table.integer("repeated_failures", 2);
  const repeatedResults = table.integer("repeated_results", 2);
  return {
    ...(rounds === undefined ? {} : { rounds }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(unknownPrice === undefined ? {} : { unknownPrice }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(repeatedFailures === undefined ? {} : { repeatedFailures }),
    ...(repeatedResults === undefined ? {} : { repeatedResults }),
    ...(permissionTimeout === undefined ? {} : { permissionTimeoutMs: permissionTimeout * 1_000 }),
  };
}
