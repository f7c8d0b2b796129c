import { isAbsolute, join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { HarnessPaths } from "../harness/options.ts";

/**
 * Variables that steer the runtime cinch itself runs on, or are addressed to cinch alone. None of them reaches a
 * child: `BUN_OPTIONS=--preload x` would run x in every Bun that a tool starts (P1), and a token is no tool's business.
 */
const KEPT_FROM_CHILDREN =
  /^(?:BUN_OPTIONS|BUN_BE_BUN|BUN_CONFIG_.*|BUN_INSPECT.*|BUN_JSC_.*|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|CINCH_.*)$/;

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
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !KEPT_FROM_CHILDREN.test(name)) kept[name] = value;
  }
  return kept;
}

function directory(env: Environment, variable: string, below: string): string {
  const named = env[variable];
  if (named !== undefined && isAbsolute(named)) return join(named, "cinch");
  const home = env["HOME"];
  if (home !== undefined && isAbsolute(home)) return join(home, below, "cinch");
  const problem = `there is no home directory: set HOME, or ${variable}, to an absolute path`;
  throw new HarnessError("UsageInvalid", { problem });
}
