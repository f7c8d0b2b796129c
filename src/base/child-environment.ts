/**
 * Returns the environment of a child process: the given variables that may reach one and that `wanted` accepts. Every
 * child of cinch uses this function.
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  wanted: (name: string) => boolean = () => true,
): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && reachesChildren(name) && wanted(name)) passed[name] = value;
  }
  return passed;
}

/**
 * Returns true if a variable of the user may reach a child process: the one list for all children of cinch (S10,
 * P1, S13).
 *
 * Excluded are variables that run other code in a child: `BUN_OPTIONS=--preload x` runs x in every Bun, `BASH_ENV` in
 * every bash. So are those that change the meaning of a command, and those for cinch only, such as tokens.
 */
export function reachesChildren(name: string): boolean {
  return !KEPT_BACK.test(name);
}

/**
 * Returns the environment of a command that is known to only read: what reaches every child, without variables that
 * control git.
 *
 * git takes no lock and writes no index. Programs that a repository's configuration would run are disabled, even if
 * the repository is created between the check and the run (PERM-04, S34).
 */
export function readOnlyEnvironment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const passed = Object.entries(env).filter(([name]) => reachesChildren(name) && !name.startsWith("GIT_"));
  return { ...Object.fromEntries(passed), ...READING_GIT };
}

const READING_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["diff.autoRefreshIndex", "false"],
  ["log.showSignature", "false"],
];
const READING_GIT: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_COUNT: String(READING_SETTINGS.length),
  ...Object.fromEntries(
    READING_SETTINGS.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};

const RUNTIMES = "BUN_.*|NODE_OPTIONS|NODE_REPL_EXTERNAL_MODULE|RIPGREP_CONFIG_PATH";
const SHELLS =
  "BASH_ENV|ENV|BASHOPTS|SHELLOPTS|BASH_XTRACEFD|BASH_FUNC_.*|PS4|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|PROMPT_COMMAND|IFS|TMOUT|PWD|OLDPWD";
const OWN = "CINCH_.*";
const KEPT_BACK = new RegExp(`^(?:${RUNTIMES}|${SHELLS}|${OWN})$`, "s");
