import { reachesChildren } from "../base/child-environment.ts";

/**
 * The environment that tools give their children: the user's own, less keys and less what no child may see (S10).
 */
export function childEnvironment(
  environment: Readonly<Record<string, string>>,
  secretVariables: readonly string[],
): Readonly<Record<string, string>> {
  const secret = new Set(secretVariables);
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !secret.has(name) && reachesChildren(name)),
  );
}
