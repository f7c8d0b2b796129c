import type { LogId, SessionId } from "../../base/ids.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { sessionTable } from "../../session/transcript/overview.ts";

export interface TableSources {
  readonly store: Pick<SessionStore, "find">;
  readonly nowMs: number;
  readonly columns: number;
  /** Sessions of every directory are in it. */
  readonly all: boolean;
  /** What the clients that follow a session call themselves; absent where no engine is asked. */
  readonly attachedBy?: (session: SessionId) => readonly string[];
}

/** A table of stored sessions for people; what they are branches of is looked up, wherever it is. */
export async function tableOfSessions(
  sessions: readonly LogInfo[],
  { store, ...options }: TableSources,
): Promise<readonly string[]> {
  const known = new Map<LogId, SessionId>(sessions.map(({ logId, session }) => [logId, session]));
  for (const { branchOf } of sessions) {
    if (branchOf === undefined || known.has(branchOf.logId)) continue;
    const parent = await store.find(branchOf.logId);
    if (parent !== undefined) known.set(parent.logId, parent.session);
  }
  return sessionTable(sessions, { ...options, sessionOf: (log) => known.get(log) });
}
