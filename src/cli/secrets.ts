import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { keyVariables } from "../credential/env-keys.ts";
import { harnessSecretsPath } from "../credential/store/harness-secrets-path.ts";
import type { CustomProvider } from "../provider/vendors.ts";
import type { Settings } from "./arguments.ts";
import { pathsOf } from "./environment.ts";

/** Variables that are for cinch alone, and that no engine gets. */
const OWN_SECRETS = ["CINCH_MACHINE_KEY", "CINCH_PASSPHRASE", "CINCH_TOKEN"] as const;

/** What a process has of secrets, or knows where to find, before any engine is started. */
export interface Secrets {
  /** Variables that hold a secret, with their values. */
  readonly variables: Readonly<Record<string, string>>;
  readonly customs: readonly CustomProvider[];
  readonly keychain: boolean;
  /** The configuration directory; absent where there is no home. */
  readonly directory?: string;
  readonly workingDir: string;
}

/**
 * Looks for secrets: in the environment, and for files that keys would be read from. Undefined where there is none,
 * and then the engine runs in this process.
 */
export async function findSecrets(env: Environment, settings: Settings): Promise<Secrets | undefined> {
  const places = await credentialPlaces(env, settings);
  const { directory, workingDir, variables } = places;
  const hasFiles =
    (directory !== undefined && existsSync(join(directory, "creds.enc"))) ||
    harnessSecretsPath(workingDir) !== undefined;
  return hasFiles || Object.keys(variables).length > 0 ? places : undefined;
}

/** Where secrets may be, and those that the environment holds. */
export async function credentialPlaces(env: Environment, settings: Settings): Promise<Secrets> {
  const directory = configDirectory(env);
  const { customs, keychain, named } = await configured(directory);
  const variables: Record<string, string> = {};
  for (const name of [...keyVariables(customs), ...named, ...OWN_SECRETS]) {
    const value = env[name];
    if (value !== undefined) variables[name] = value;
  }
  const workingDir = resolve(settings.cwd ?? ".");
  return { variables, customs, keychain, workingDir, ...(directory === undefined ? {} : { directory }) };
}

type Environment = Readonly<Record<string, string | undefined>>;

function configDirectory(env: Environment): string | undefined {
  try {
    return pathsOf(env).config;
  } catch {
    return undefined; // who has no home has no files there; the engine says so where it needs one
  }
}

interface Configured {
  readonly customs: readonly CustomProvider[];
  readonly keychain: boolean;
  /** Names of variables that a file that cannot be read as a whole seems to name. */
  readonly named: readonly string[];
}

const NOTHING: Configured = { customs: [], keychain: false, named: [] };

/** What config.toml says of keys. Most say nothing, and cost no parser; a broken one is the engine's to tell. */
async function configured(directory: string | undefined): Promise<Configured> {
  if (directory === undefined) return NOTHING;
  const path = join(directory, "config.toml");
  const text = textAt(path);
  if (!/api_key_env|keychain|providers|\\/.test(text)) return NOTHING;
  const { loadConfig } = await import("../profile/config.ts");
  const { hostFiles } = await import("../host/files.ts");
  try {
    const { providers, credentials } = await loadConfig({ files: hostFiles }, path);
    return { customs: providers, keychain: credentials?.keychain ?? false, named: [] };
  } catch {
    const named = [...text.matchAll(/api_key_env\W+(\w+)/g)].map(([, name = ""]) => name);
    return { ...NOTHING, named };
  }
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // missing, or the engine's to tell
  }
}
