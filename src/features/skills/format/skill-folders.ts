import { dirname, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { EngineHost } from "../../../session/host.ts";

/**
 * Returns the folder for copies of a session's skills. It is in the user's cache, away from keys and logs, so that
 * commands in a sandbox can read the copies but not change them.
 */
export function skillCopiesFolder(
  { environment, paths }: Pick<EngineHost, "environment" | "paths">,
  log: string,
) {
  const { XDG_CACHE_HOME: cache, HOME: home } = environment;
  if (cache?.startsWith("/") === true) return join(cache, "cinch", "skills", log);
  if (home?.startsWith("/") === true) return join(home, ".cache", "cinch", "skills", log);
  return join(paths.data, "skills", log); // commands in a sandbox then do not see them, and Read asks
}

const COPIES_MS_MAX = 7 * 24 * 3_600_000;
const FOLDERS_MAX = 64;

/**
 * Removes some of the copies beside `folder` that a killed process left at least a week ago. A session that still
 * uses such copies creates them again when it needs them. Never rejects.
 */
export async function removeOldCopies(
  { files, clock, log }: Pick<World, "files" | "clock" | "log">,
  folder: string,
): Promise<void> {
  const parent = dirname(folder);
  try {
    if ((await files.lstat(parent))?.kind !== "directory") return;
    const logs = (await files.list(parent)).filter(
      ({ name, kind }) => kind === "directory" && LOG.test(name),
    );
    for (const { name } of logs.slice(0, FOLDERS_MAX)) {
      const path = join(parent, name);
      const info = path === folder ? undefined : await files.lstat(path);
      if (info !== undefined && info.modifiedMs < clock.now() - COPIES_MS_MAX) await files.remove(path);
    }
  } catch (thrown) {
    log.for("skills").write("warn", "old copies of skills could not be removed", { what: messageOf(thrown) });
  }
}

const LOG = /^log_[0-9A-Z]{26}$/;

/** Returns the folders to which skills are written (SKL-05). Other programs read them too. */
export function skillWriteFolders({ environment }: Pick<EngineHost, "environment">, root: string) {
  const { HOME: home } = environment;
  return {
    project: join(root, ".agents", "skills"),
    user: home?.startsWith("/") === true ? join(home, ".agents", "skills") : undefined,
  };
}
