import { isAbsolute, join } from "node:path";
import { childEnvironment } from "../base/child-environment.ts";
import { HarnessError } from "../base/errors.ts";
import type { HarnessPaths } from "../harness/options.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where cinch keeps its files, after the XDG Base Directory specification: a variable that holds no absolute path
 * counts as absent.
 * @throws HarnessError UsageInvalid when there is neither a variable nor a home directory.
 */
export function pathsOf(env: Environment): HarnessPaths {
  return {
    config: directory(env, "XDG_CONFIG_HOME", ".config"),
    data: directory(env, "XDG_DATA_HOME", ".local/share"),
    state: directory(env, "XDG_STATE_HOME", ".local/state"),
  };
}

/**
 * The user's environment for the harness: without what drives our runtime. Provider keys are still in it; the
 * harness reads them and takes them out of what children see. No `.env` file is ever read.
 */
export function userEnvironment(env: Environment): Readonly<Record<string, string>> {
  return childEnvironment(env);
}

function directory(env: Environment, variable: string, below: string): string {
  const named = env[variable];
  if (named !== undefined && isAbsolute(named)) return join(named, "cinch");
  const home = env["HOME"];
  if (home !== undefined && isAbsolute(home)) return join(home, below, "cinch");
  const problem = `there is no home directory: set HOME, or ${variable}, to an absolute path`;
  throw new HarnessError("UsageInvalid", { problem });
}
