import { defined } from "../../base/defined.ts";
import { messageOf } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import { isUnused } from "../../session/store/notes/unused.ts";
import type { LogInfo, LogQuery, SessionStore } from "../../session/store/store.ts";
import { deleteSession } from "./delete.ts";
import type { KeptBeside } from "./retention/beside.ts";

interface UnusedSources extends KeptBeside {
  readonly world: KeptBeside["world"] & Pick<World, "log">;
  readonly store: SessionStore;
}

/**
 * Removes a session that has ended, if it was never used. A failure leaves it, and is logged: lists leave it out in any
 * case.
 */
export async function removeUnused(sources: UnusedSources, logId: LogId): Promise<void> {
  const { store, world } = sources;
  try {
    const info = await store.find(logId);
    if (info !== undefined && (await isUnused(store, info))) await deleteSession(sources, info);
  } catch (thrown) {
    const what = messageOf(thrown);
    world.log.for("session").write("warn", "an unused session was not removed", { log: logId, what });
  }
}

/** Returns logs in which a person would find something, the newest first. */
export async function usedSessions(
  store: Pick<SessionStore, "list" | "markedEvents" | "notes">,
  query: LogQuery,
): Promise<readonly LogInfo[]> {
  const found: LogInfo[] = [];
  for (let { before } = query; ; ) {
    const page = await store.list({ ...query, ...defined({ before }) });
    for (const info of page) if (!(await isUnused(store, info))) found.push(info);
    before = page.at(-1);
    if (page.length < query.limit || found.length >= query.limit) return found.slice(0, query.limit);
  }
}
