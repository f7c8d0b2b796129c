import { HarnessError } from "../../base/errors.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { forgetDismissed } from "./expiry-warning.ts";
import type { StoredLogs } from "./retention/log-files.ts";
import { removeLogFiles } from "./retention/log-files.ts";

/** @throws HarnessError LogHeld for a session that runs, SessionPinned. */
export function assertDeletable({ session, heldBy, pinned }: LogInfo): void {
  if (heldBy !== undefined) throw new HarnessError("LogHeld", { id: session, pid: `${heldBy.pid}` });
  if (pinned) throw new HarnessError("SessionPinned", { id: session });
}

interface DeleteSources extends StoredLogs {
  readonly store: Pick<SessionStore, "delete">;
  readonly paths: StoredLogs["paths"] & Pick<HarnessPaths, "state">;
}

/**
 * Deletes a session that does not run: its log and keys, the titles, drafts and marks beside it, its stored outputs
 * and the files that features keep for it (SES-06).
 * @throws HarnessError LogHeld, SessionPinned.
 */
export async function deleteSession({ store, ...at }: DeleteSources, info: LogInfo): Promise<void> {
  assertDeletable(info);
  const { logId } = info;
  await store.delete(logId);
  await removeLogFiles(logId, at);
  await forgetDismissed(at, logId);
}
