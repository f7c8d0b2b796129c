import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defined } from "../base/defined.ts";
import { KEY_VARIABLES, keyVariables } from "../credentials/env-keys.ts";
import { GOOGLE_VARIABLES } from "../credentials/google/variables.ts";
import type { KeySettings } from "../credentials/helper/open-helper.ts";
import { harnessSecretsPath } from "../credentials/store/harness-secrets-path.ts";
import { usesVertex } from "../providers/vendor-settings.ts";
import type { Config } from "../session/settings/settings.ts";
import { cinchPaths } from "./environment.ts";
import type { Settings } from "./settings.ts";

/** Variable that holds the passphrase of the machine key. */
export const PASSPHRASE = "CINCH_PASSPHRASE";
/** Variables that hold the machine key, which seals sessions and stored keys. */
const MACHINE_KEYS = ["CINCH_MACHINE_KEY", PASSPHRASE] as const;
/** Variables for cinch alone: its keeper takes them, and no process that runs a model's calls has them. */
const OWN_SECRETS = [...MACHINE_KEYS, "CINCH_TOKEN"] as const;

/** Secrets that a process has or can find before an engine is started. */
export interface Secrets {
  /** Variables that hold a secret, with their values. */
  readonly variables: Readonly<Record<string, string>>;
  /** The configuration directory; absent without a home. */
  readonly directory?: string;
  readonly workingDir: string;
  /** Places of Google credentials if Vertex AI is used. Holds no secrets. */
  readonly google?: Readonly<Record<string, string>>;
}

/**
 * Finds secrets in the environment, and files that hold keys or name places to log in. Returns undefined if there is
 * none; then the engine runs in this process.
 */
export async function findSecrets(env: Environment, settings: Settings): Promise<Secrets | undefined> {
  const places = await credentialPlaces(env, settings);
  const { directory, workingDir, variables } = places;
  const hasFiles =
    (directory !== undefined && existsSync(join(directory, "creds.enc"))) ||
    harnessSecretsPath(workingDir) !== undefined;
  const google = await googlePlaces(env, settings, directory);
  const hasSecrets =
    hasFiles ||
    Object.keys(variables).length > 0 ||
    google !== undefined ||
    namesServersElsewhere(directory) ||
    (await wantsKeychain(directory));
  return hasSecrets ? { ...places, ...defined({ google }) } : undefined;
}

/**
 * Returns the places of Google credentials; undefined if Vertex AI is not used, by environment, configuration, or the
 * requested model. Nothing is read there.
 */
export async function googlePlaces(
  env: Environment,
  { model }: Settings,
  directory: string | undefined,
): Promise<Secrets["google"]> {
  const path = configPath(directory);
  const isMentioned = path !== undefined && /vertex|\\/.test(textAt(path));
  const isAsked = model?.startsWith("vertex:") ?? false;
  if (!isMentioned && !isAsked && !usesVertex(env, undefined)) return undefined;
  const isUsed = isAsked || usesVertex(env, undefined) || (await isConfigured(directory, env));
  if (!isUsed) return undefined;
  return Object.fromEntries(
    GOOGLE_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns true if there is a `[vertex]` section, or the user's own default model is one of Vertex. */
async function isConfigured(directory: string | undefined, env: Environment): Promise<boolean> {
  try {
    const { settings, defaultModel } = await configured(directory);
    return usesVertex(env, settings?.vertex) || (defaultModel?.startsWith("vertex:") ?? false);
  } catch {
    return false; // the engine reports a broken file
  }
}

/**
 * Returns true if config.toml has MCP servers with an address: a user may log in there while the engine runs, and the
 * token is for the helper alone. A false positive does no harm.
 */
function namesServersElsewhere(directory: string | undefined): boolean {
  const path = configPath(directory);
  const text = path === undefined ? "" : textAt(path);
  return text.includes("mcp_servers") && /^[ \t]*url[ \t]*=|[{,][ \t]*url[ \t]*=/m.test(text);
}

/**
 * Returns true if the machine key is in the system's keychain: a log must be sealed under one key, with or without keys
 * of providers.
 */
async function wantsKeychain(directory: string | undefined): Promise<boolean> {
  const path = configPath(directory);
  if (path === undefined || directory === undefined || !/keychain|\\/.test(textAt(path))) return false;
  try {
    return (await configured(directory)).keychain;
  } catch {
    return false; // the engine reports a broken file
  }
}

/** Returns the machine key for a new engine, which would otherwise seal under another key. */
export function machineKeyOf(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    MACHINE_KEYS.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Finds the secrets of the environment and the places where others may be. */
export async function credentialPlaces(env: Environment, settings: Settings): Promise<Secrets> {
  const directory = configDirectory(env);
  const variables: Record<string, string> = {};
  for (const name of [...KEY_VARIABLES, ...(await namedVariables(directory)), ...OWN_SECRETS]) {
    const value = env[name];
    if (value !== undefined) variables[name] = value;
  }
  const workingDir = resolve(settings.cwd ?? ".");
  return { variables, workingDir, ...defined({ directory }) };
}

type Environment = Readonly<Record<string, string | undefined>>;

function configDirectory(env: Environment): string | undefined {
  try {
    return cinchPaths(env).config;
  } catch {
    return undefined; // a user without a home has no files there; the engine reports that if it needs one
  }
}

/**
 * Reads the providers and keychain settings of config.toml. Parses the file only if it mentions them.
 * @throws HarnessError ConfigInvalid if the file is broken.
 */
export async function configured(
  directory: string | undefined,
): Promise<KeySettings & { readonly defaultModel?: string }> {
  const path = configPath(directory);
  if (
    directory === undefined ||
    path === undefined ||
    !/keychain|providers|vertex|copilot|\\/.test(textAt(path))
  )
    return { customs: [], keychain: false };
  const [{ credentialsSection }, { settingsOf }] = await Promise.all([
    import("../config/sections/credentials.ts"),
    import("../config/settings/settings.ts"),
  ]);
  const config = await configIn(directory);
  const { providers, vertex, copilot, defaultModel } = config;
  return {
    customs: providers,
    keychain: settingsOf(credentialsSection, { config }).keychain,
    settings: defined({ vertex, copilot }),
    ...defined({ defaultModel }),
  };
}

/**
 * Reads the `config.toml` of a folder, before there is a world.
 * @throws HarnessError ConfigInvalid.
 */
export async function configIn(directory: string): Promise<Config> {
  const [{ userConfig }, { PROGRAM_FEATURES: features }, { hostFiles }] = await Promise.all([
    import("../app/plan/user-config.ts"),
    import("../app/plan/feature-set.ts"),
    import("../platform/files/files.ts"),
  ]);
  return await userConfig({ world: { files: hostFiles }, paths: { config: directory }, features });
}

/**
 * Returns the variables that config.toml names as holding keys. It is not parsed for that if each is plainly written,
 * since this is on every start path. One too many does no harm, and the engine reports a broken file.
 */
async function namedVariables(directory: string | undefined): Promise<readonly string[]> {
  const path = configPath(directory);
  const text = path === undefined ? "" : textAt(path);
  const mentions = text.split("api_key_env").length - 1;
  const plain = [...text.matchAll(/api_key_env[ \t]*=[ \t]*"([A-Za-z_][A-Za-z0-9_]*)"/g)].map(
    ([, name = ""]) => name,
  );
  if (plain.length === mentions && !text.includes("\\")) return plain;
  try {
    return keyVariables((await configured(directory)).customs);
  } catch {
    return [...text.matchAll(/api_key_env\W+(\w+)/g)].map(([, name = ""]) => name);
  }
}

function configPath(directory: string | undefined): string | undefined {
  return directory === undefined ? undefined : join(directory, "config.toml");
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // missing, or reported by the engine
  }
}
