import { messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { forgetDismissed } from "./dismissed.ts";
import type { StoredLogs } from "./log-files.ts";
import { logsWithFiles, removeLogFiles } from "./log-files.ts";

/** Days after which files are removed whose log the store does not have: a store that was moved may come back. */
export const ORPHAN_DAYS = 7;
const DAY_MS = 86_400_000;

/** Stored logs, and what is kept beside them. */
export interface KeptBeside extends StoredLogs {
  readonly paths: StoredLogs["paths"] & Pick<HarnessPaths, "state">;
}

interface OrphanSources extends KeptBeside {
  readonly world: StoredLogs["world"] & Pick<World, "clock" | "log">;
  readonly store: Pick<SessionStore, "find">;
}

/** Removes everything that is kept beside a log, in files: its output, those of features, its dismissed warning. */
export async function removeBeside(log: LogId, at: KeptBeside): Promise<void> {
  await removeLogFiles(log, at);
  await forgetDismissed(at, log);
}

/**
 * Removes files that belong to no log of the store and are older than `ORPHAN_DAYS`, such as those that an earlier
 * version left when it was killed while it deleted a session. One that cannot be removed is logged.
 */
export async function removeOrphans(at: OrphanSources, signal: AbortSignal): Promise<void> {
  const { world, store } = at;
  const oldMs = world.clock.now() - ORPHAN_DAYS * DAY_MS;
  for (const [log, newestMs] of await logsWithFiles(at)) {
    if (signal.aborted) return;
    if (newestMs > oldMs) continue;
    try {
      if ((await store.find(log)) !== undefined) continue;
      await removeBeside(log, at);
      world.log.for("session.retention").write("info", "files without a session were removed", { log });
    } catch (thrown) {
      const fields = { log, error: messageOf(thrown) };
      world.log
        .for("session.retention")
        .write("warn", "files without a session could not be removed", fields);
    }
  }
}
