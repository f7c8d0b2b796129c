import { join } from "node:path";
import type { HarnessOptions } from "./options.ts";

/**
 * Where copies of a log's skills lie while it is worked on: in the user's cache, beside no key and no log, so that commands
 * in a sandbox can read them, and none can change them.
 */
export function skillsFolder(
  { environment, paths }: Pick<HarnessOptions, "environment" | "paths">,
  log: string,
) {
  const { XDG_CACHE_HOME: cache, HOME: home } = environment;
  if (cache?.startsWith("/") === true) return join(cache, "cinch", "skills", log);
  if (home?.startsWith("/") === true) return join(home, ".cache", "cinch", "skills", log);
  return join(paths.data, "skills", log); // then no command in a sandbox sees them, and Read asks
}

/** Where skills are written (SKL-05): what other programs read too. */
export function skillsPlaces({ environment }: Pick<HarnessOptions, "environment">, root: string) {
  const { HOME: home } = environment;
  return {
    project: join(root, ".agents", "skills"),
    user: home?.startsWith("/") === true ? join(home, ".agents", "skills") : undefined,
  };
}
