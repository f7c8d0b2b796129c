import { isAbsolute } from "node:path";
import type { World } from "../base/world.ts";
import type { Route } from "../providers/choosing/route.ts";
import type { Price, UnknownPrice } from "../providers/provider.ts";
import { UNKNOWN_PRICES } from "../providers/provider.ts";
import type { VendorSettings } from "../providers/vendor-settings.ts";
import type { CustomProvider } from "../providers/vendors.ts";
import { durationFrom } from "./duration-key.ts";
import type { McpServer } from "./mcp/mcp.ts";
import { mcpServersFrom } from "./mcp/mcp.ts";
import type { Look } from "./mistakes.ts";
import { modelName } from "./providers/model-name.ts";
import { pricesFrom, providersFrom } from "./providers/providers.ts";
import { routesFrom } from "./providers/routing.ts";
import type { ThinkingKeys } from "./providers/thinking.ts";
import { thinkingFrom } from "./providers/thinking.ts";
import { vendorSettingsFrom } from "./providers/vendor-settings.ts";
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
import type { TelemetryKeys } from "./sections/telemetry.ts";
import { telemetryFrom } from "./sections/telemetry.ts";
import type { ReadKey } from "./table.ts";
import { readKeys, Table } from "./table.ts";
import { readToml } from "./toml.ts";

/**
 * The user's own configuration: `$XDG_CONFIG_HOME/cinch/config.toml` (PROF-03).
 *
 * What a repository's `.cinch/config.toml` may say is in `project.ts`.
 */
export interface Config extends VendorSettings {
  readonly defaultModel?: string;
  readonly defaultProfile?: string;
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCostUsd?: number;
  readonly unknownPrice?: UnknownPrice;
  readonly maxTimeMs?: number;
  readonly providers: readonly CustomProvider[];
  /** Models made of several. */
  readonly routes: readonly Route[];
  /** By `provider:model`. */
  readonly prices: ReadonlyMap<string, Price>;
  readonly permissions: PermissionSettings;
  readonly credentials?: CredentialSettings;
  readonly trust: TrustSettings;
  readonly sandbox?: SandboxSettings;
  readonly thinking?: ThinkingKeys;
  readonly compaction?: CompactionKeys;
  readonly session?: SessionKeys;
  readonly checkpoint?: CheckpointKeys;
  readonly memory?: MemoryKeys;
  readonly telemetry?: TelemetryKeys;
  readonly agents?: AgentKeys;
  readonly delegate?: DelegateKeys;
  readonly tasks?: TaskKeys;
  readonly hooks: readonly ConfiguredHook[];
  /** Absolute paths. */
  readonly plugins: readonly string[];
  readonly diagnostics: readonly DiagnosticKeys[];
  /** Servers that every session has, beside those of its profile (MCP-01). */
  readonly mcpServers: readonly McpServer[];
}

/** What the user wants asked before a project's files are used. */
export interface TrustSettings {
  /** A change of nothing but words, in which nothing looks like an attack, is accepted with a notice (TOFU-03). */
  readonly promoteProse?: boolean;
  /** A lock file that approves what it names, beside the user's own answers (TOFU-05). Absolute. */
  readonly lockfile?: string;
}

/** `[credentials]`: where the machine key is kept. */
export interface CredentialSettings {
  /** In the keychain of the system, where there is one (CRED-01). */
  readonly keychain: boolean;
}

/** What a file that is not there says. */
export const NOTHING: Config = {
  providers: [],
  routes: [],
  prices: new Map(),
  permissions: { rules: [] },
  trust: {},
  plugins: [],
  hooks: [],
  diagnostics: [],
  mcpServers: [],
};

/**
 * Reads config.toml. A file that is missing says nothing, and costs no parser.
 * @throws HarnessError ConfigInvalid with file, line and key, for unknown keys too: a misspelt `deny` must not pass.
 */
export async function loadConfig(world: Pick<World, "files">, path: string): Promise<Config> {
  const file = await readToml(world.files, path);
  if (file === undefined) return NOTHING;
  return wholeConfig(new Table(file));
}

/** All that is wrong in config.toml, and where one of its keys stands. */
export async function lookThroughConfig(
  world: Pick<World, "files">,
  path: string,
): Promise<Look<Config> & { readonly where?: Table["where"] }> {
  const { mistakesIn } = await import("./mistakes.ts");
  const { value, mistakes } = await mistakesIn(async (following) => {
    const file = (await readToml(world.files, path)) ?? { path, text: "", value: {} };
    const table = new Table(file, [], file.value, following);
    return { config: wholeConfig(table), table };
  });
  if (value === undefined) return { mistakes };
  return { value: value.config, mistakes, where: (...path) => value.table.where(...path) };
}

function wholeConfig(table: Table): Config {
  const config = configFrom(table);
  table.refuseUnknown();
  return config;
}

/** Every key that config.toml may hold, with what stands there. It has been loaded before. */
export async function configKeys(world: Pick<World, "files">, path: string): Promise<readonly ReadKey[]> {
  const file = (await readToml(world.files, path)) ?? { path, text: "", value: {} };
  return await readKeys(file, configFrom);
}

function configFrom(table: Table): Config {
  const defaultModel = table.string("default_model");
  const defaultProfile = table.string("default_profile");
  const maxTurns = table.integer("max_turns", 1);
  const maxCostUsd = table.number("max_cost", 0);
  const unknownPrice = table.oneOf("unknown_price", UNKNOWN_PRICES);
  const maxTimeMs = durationFrom(table, "max_time", table.string("max_time"));
  const permissions = table.table("permissions");
  const settings = permissions === undefined ? NOTHING.permissions : permissionsFrom(permissions);
  permissions?.refuseUnknown();
  const sandbox = sandboxFrom(table);
  return {
    ...(defaultModel === undefined ? {} : { defaultModel: modelName(table, "default_model", defaultModel) }),
    ...(defaultProfile === undefined ? {} : { defaultProfile }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(unknownPrice === undefined ? {} : { unknownPrice }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
    providers: providersFrom(table),
    routes: routesFrom(table),
    prices: pricesFrom(table),
    permissions: settings,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...thinkingFrom(table),
    ...compactionFrom(table),
    ...sessionFrom(table),
    ...checkpointFrom(table),
    ...memoryFrom(table),
    ...agentsFrom(table),
    ...delegateFrom(table),
    ...tasksFrom(table),
    ...credentialsFrom(table),
    ...telemetryFrom(table),
    ...vendorSettingsFrom(table),
    trust: trustFrom(table),
    hooks: hooksFrom(table),
    plugins: pluginsFrom(table),
    diagnostics: diagnosticsFrom(table),
    mcpServers: mcpServersFrom(table),
  };
}

function credentialsFrom(parent: Table): Pick<Config, "credentials"> {
  const table = parent.table("credentials");
  if (table === undefined) return {};
  const keychain = table.boolean("keychain") ?? false;
  table.refuseUnknown();
  return { credentials: { keychain } };
}

function trustFrom(parent: Table): TrustSettings {
  const table = parent.table("trust");
  if (table === undefined) return {};
  const promoteProse = table.boolean("promote_prose");
  const lockfile = table.string("lockfile");
  table.refuseUnknown();
  // A relative path would find a file in every repository, and each could then approve itself.
  if (lockfile !== undefined && !isAbsolute(lockfile))
    throw table.problem("lockfile", "must be an absolute path");
  return {
    ...(promoteProse === undefined ? {} : { promoteProse }),
    ...(lockfile === undefined ? {} : { lockfile }),
  };
}
