import { isAbsolute, join } from "node:path";
import { childEnvironment } from "../base/child-environment.ts";
import { HarnessError } from "../base/errors.ts";
import type { HarnessPaths } from "../base/files/harness-paths.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folders of cinch by the XDG Base Directory specification: a variable that holds no absolute path counts
 * as absent.
 * @throws HarnessError UsageInvalid if there is neither a variable nor a home directory.
 */
export function cinchPaths(env: Environment): HarnessPaths {
  return {
    config: directory(env, "XDG_CONFIG_HOME", ".config"),
    data: directory(env, "XDG_DATA_HOME", ".local/share"),
    state: directory(env, "XDG_STATE_HOME", ".local/state"),
  };
}

/**
 * Returns the user's environment for the harness: without variables that control our runtime. Provider keys are still
 * in it; the harness reads them and removes them for children. No `.env` file is ever read.
 */
export function userEnvironment(env: Environment): Readonly<Record<string, string>> {
  return childEnvironment(env);
}

/** Returns the state folder of `cinchPaths`; undefined if no variable names one. */
export function stateFolder(env: Environment): string | undefined {
  return named(env, "XDG_STATE_HOME", ".local/state");
}

function directory(env: Environment, variable: string, below: string): string {
  const found = named(env, variable, below);
  if (found !== undefined) return found;
  const problem = `there is no home directory: set HOME, or ${variable}, to an absolute path`;
  throw new HarnessError("UsageInvalid", { problem });
}

function named(env: Environment, variable: string, below: string): string | undefined {
  const directory = env[variable];
  if (directory !== undefined && isAbsolute(directory)) return join(directory, "cinch");
  const home = env["HOME"];
  return home !== undefined && isAbsolute(home) ? join(home, below, "cinch") : undefined;
}
