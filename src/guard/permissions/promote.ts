import { join } from "node:path";
import { acquireLock, LockRefused } from "../../base/async/lock.ts";
import { HarnessError } from "../../base/errors.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import { promotedPath, promoteRule } from "../../config/promoted.ts";
import { isFileWithin } from "../../config/run-profile.ts";
import type { Profile } from "../../session/settings/settings.ts";

/** Profile to which a rule was added. */
export interface PromotedRule {
  readonly profile: string;
  /** File to which the rule was written. */
  readonly path: string;
  readonly directory?: string;
}

interface PromoteSources {
  readonly profile: Pick<Profile, "name" | "path">;
  readonly world: World;
  readonly paths: HarnessPaths;
  /** Working directory of the session. */
  readonly root: string;
  readonly everywhere: boolean;
}

/** Name of the lock file in the folder of profiles; always empty. */
const LOCK_FILE = ".promote.lock";

/**
 * Writes a rule to the profile of a session, for the session's working directory or everywhere (PERM-07). Concurrent
 * sessions and processes promote rules one after another, each adding to what the others wrote.
 * @throws HarnessError InvalidCommand for a profile of the repository; ConfigInvalid if its file cannot be edited, or
 * another process holds the lock for 5 s.
 */
export async function promoteSessionRule(
  rule: string,
  { profile, world, paths, root, everywhere }: PromoteSources,
): Promise<PromotedRule> {
  if (await isFileWithin(root, profile.path, { world, paths })) {
    throw new HarnessError("InvalidCommand", {
      kind: "PromoteRule",
      why: `the profile ${profile.name} is a file of the repository (${profile.path}), where no rule is written; put it among your own profiles`,
    });
  }
  const path = promotedPath(profile.path, join(paths.config, "profiles"));
  const bound = everywhere ? {} : { directory: root };
  const folder = join(paths.config, "profiles");
  await world.files.makeDirectory(folder);
  using _lock = await lockRules(world, join(folder, LOCK_FILE), { path, rule });
  await promoteRule(world.files, path, { rule, ...bound });
  return { profile: profile.name, path, ...bound };
}

async function lockRules(
  world: Pick<World, "clock" | "lock">,
  lock: string,
  { path, rule }: { readonly path: string; readonly rule: string },
): Promise<Disposable> {
  try {
    return await acquireLock(world, lock);
  } catch (cause) {
    if (!(cause instanceof LockRefused)) throw cause;
    const problem = `the rule "${rule}" was not added, because ${cause.message}. Try again, or add it by hand`;
    throw new HarnessError("ConfigInvalid", { path, line: "1", key: "promoted", problem }, { cause });
  }
}
