import { HarnessError } from "../../base/errors.ts";
import type { SessionId } from "../../base/ids.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { removeLogFiles } from "./retention/log-files.ts";

/**
 * Deletes a stored session for good, with what was kept beside its log.
 * @throws HarnessError UnknownSession, LogHeld while a process has it open, SessionPinned.
 */
export async function deleteStored(id: SessionId, sessions: OpenSessions): Promise<void> {
  const info = await sessions.store.find(id);
  if (info === undefined) throw new HarnessError("UnknownSession", { id });
  const { heldBy, pinned, session, logId } = info;
  if (heldBy !== undefined) throw new HarnessError("LogHeld", { id: session, pid: `${heldBy.pid}` });
  if (pinned) throw new HarnessError("SessionPinned", { id: session });
  await sessions.store.delete(logId);
  await removeLogFiles(logId, sessions);
}
