/**
 * Returns the environment of a child process: of the variables given, those that may reach one and that `wanted` takes.
 * The one function for all that cinch starts.
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  wanted: (name: string) => boolean = () => true,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && reachesChildren(name) && wanted(name)) kept[name] = value;
  }
  return kept;
}

/**
 * Tells whether a variable of the user's may reach a child: the one list for all that cinch starts (S10, P1, S13).
 *
 * Kept back is what would run code of somebody else in a child (`BUN_OPTIONS=--preload x` runs x in every Bun that a
 * tool starts, `BASH_ENV` in every bash), what changes what a command means, and what is addressed to cinch alone:
 * a token is no tool's business.
 */
export function reachesChildren(name: string): boolean {
  return !KEPT_BACK.test(name);
}

const RUNTIMES = "BUN_.*|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|RIPGREP_CONFIG_PATH";
const SHELLS =
  "BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_XTRACEFD|BASH_FUNC_.*|PS4|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|PROMPT_COMMAND|IFS|PWD|OLDPWD";
const OWN = "CINCH_.*";
const KEPT_BACK = new RegExp(`^(?:${RUNTIMES}|${SHELLS}|${OWN})$`, "s");
