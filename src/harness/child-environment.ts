/** What drives our own runtime: a child that is one of our kind must not obey what a parent's parent set. */
const RUNTIME = /^(?:BUN_.*|NODE_OPTIONS|BASH_ENV|ENV|RIPGREP_CONFIG_PATH)$/;
const OWN = /^CINCH_/;

/**
 * The environment that tools give their children: the user's own, less keys and less what drives our runtime (S10).
 */
export function childEnvironment(
  environment: Readonly<Record<string, string>>,
  secretVariables: readonly string[],
): Readonly<Record<string, string>> {
  const secret = new Set(secretVariables);
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !secret.has(name) && !RUNTIME.test(name) && !OWN.test(name),
    ),
  );
}
