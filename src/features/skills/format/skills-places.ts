import { dirname, join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { EngineHost } from "../../../session/host.ts";

/**
 * Where copies of a log's skills lie while it is worked on: in the user's cache, beside no key and no log, so that commands
 * in a sandbox can read them, and none can change them.
 */
export function skillsFolder({ environment, paths }: Pick<EngineHost, "environment" | "paths">, log: string) {
  const { XDG_CACHE_HOME: cache, HOME: home } = environment;
  if (cache?.startsWith("/") === true) return join(cache, "cinch", "skills", log);
  if (home?.startsWith("/") === true) return join(home, ".cache", "cinch", "skills", log);
  return join(paths.data, "skills", log); // then no command in a sandbox sees them, and Read asks
}

const COPIES_MS_MAX = 7 * 24 * 3_600_000;
const FOLDERS_MAX = 64;

/**
 * Removes copies beside `folder` that a killed process left a week ago or longer; of many, some each time. A session that
 * still works with such copies makes them anew when it next needs them. It never rejects.
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

/** Where skills are written (SKL-05): what other programs read too. */
export function skillsPlaces({ environment }: Pick<EngineHost, "environment">, root: string) {
  const { HOME: home } = environment;
  return {
    project: join(root, ".agents", "skills"),
    user: home?.startsWith("/") === true ? join(home, ".agents", "skills") : undefined,
  };
}
