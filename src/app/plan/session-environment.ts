import { resolve } from "node:path";
import type { Secret } from "../../base/brand.ts";
import { childEnvironment } from "../../base/child-environment.ts";
import type { Files } from "../../base/world.ts";
import { secretVariables } from "../../safety/secrets/secret-variables.ts";

type Environment = Readonly<Record<string, string>>;

/** The environment of one session: what its children get, and what is kept from them. */
export interface SessionEnvironment {
  /**
   * For commands, hooks and language servers: the user's own, without secrets and without what steers a runtime (S10).
   */
  readonly env: Environment;
  /**
   * The variables that hold a secret of the user's. Only a command that a person lets run outside the sandbox
   * gets them.
   */
  readonly withheld: Environment;
  /** The texts that no model and no client may read, those of variables that commands get among them. */
  readonly secrets: readonly Secret[];
}

export interface EnvironmentSources {
  readonly files: Files;
  /** The working directory, absolute: what a relative path is looked for in. */
  readonly root: string;
  /** Variables that hold keys of providers: no child gets them, wherever it runs. */
  readonly keyVariables: readonly string[];
  /** Variables with a secret that commands get all the same. */
  readonly passEnv: readonly string[];
}

/** Divides the environment of a session into what its children get and what holds secrets (SBX-04, SES-05). */
export async function sessionEnvironment(
  environment: Environment,
  { files, root, keyVariables, passEnv }: EnvironmentSources,
): Promise<SessionEnvironment> {
  const keys = new Set(keyVariables);
  const found = secretVariables(environment).map(async (variable) => {
    return (await isFile(variable.path, environment["HOME"])) ? [] : [variable];
  });
  const variables = (await Promise.all(found)).flat();
  async function isFile(path: string | undefined, home = ""): Promise<boolean> {
    if (path === undefined) return false;
    try {
      return (await files.stat(resolve(root, path.replace(/^~\//, `${home}/`)))) !== undefined;
    } catch {
      return false; // too long for a name, or unreadable: withheld like any other secret
    }
  }
  const passed = new Set(passEnv);
  const withheldNames = new Set(variables.map(({ name }) => name).filter((name) => !passed.has(name)));
  return {
    env: childEnvironment(environment, (name) => !keys.has(name) && !withheldNames.has(name)),
    withheld: childEnvironment(environment, (name) => !keys.has(name) && withheldNames.has(name)),
    secrets: variables.flatMap(({ secrets }) => secrets),
  };
}

const NAMES_MAX = 20;

/** Names, for the person, the variables that commands do not get; undefined where there is none. */
export function withheldNotice({ withheld }: SessionEnvironment): string | undefined {
  const names = Object.keys(withheld).sort();
  if (names.length === 0) return undefined;
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return `Kept from commands, since they hold secrets: ${names.slice(0, NAMES_MAX).join(", ")}${more}. Name those that commands need in pass_env under [sandbox] in config.toml.`;
}
