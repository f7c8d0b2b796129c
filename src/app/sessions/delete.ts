import { HarnessError } from "../../base/errors.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import type { KeptBeside } from "./retention/beside.ts";
import { removeBeside } from "./retention/beside.ts";

/** @throws HarnessError LogHeld for a session that runs, SessionPinned. */
export function assertDeletable({ session, heldBy, pinned }: LogInfo): void {
  if (heldBy !== undefined) throw new HarnessError("LogHeld", { id: session, pid: `${heldBy.pid}` });
  if (pinned) throw new HarnessError("SessionPinned", { id: session });
}

interface DeleteSources extends KeptBeside {
  readonly store: Pick<SessionStore, "delete">;
}

/**
 * Deletes a session that does not run: its log and keys, the titles, drafts and marks beside it, its stored outputs
 * and the files that features keep for it (SES-06). Its content is unreadable first. If the process dies after that, or
 * a file cannot be removed, the next sweep of any engine removes the rest.
 * @throws HarnessError LogHeld, SessionPinned.
 */
export async function deleteSession({ store, ...at }: DeleteSources, info: LogInfo): Promise<void> {
  assertDeletable(info);
  let isDone = false;
  await store.delete(info.logId, async (logId) => {
    await removeBeside(logId, at);
    isDone = true;
  });
  // The store of a program need not know of files beside it.
  if (!isDone) await removeBeside(info.logId, at);
}
