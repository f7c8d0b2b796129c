import type { LogId, SessionId } from "../../base/ids.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { sessionRow } from "../../session/transcript/overview.ts";
import type { SessionTableOptions } from "../../view/answers/session-table.ts";
import { sessionTable } from "../../view/answers/session-table.ts";

/** Draws a table of stored sessions; the store names the sessions that branches come from. */
export async function tableOfSessions(
  sessions: readonly LogInfo[],
  { store, ...options }: SessionTableOptions & { readonly store: Pick<SessionStore, "find"> },
): Promise<readonly string[]> {
  const known = new Map<LogId, SessionId>(sessions.map(({ logId, session }) => [logId, session]));
  const rows = [];
  for (const info of sessions) {
    const { branch_of: _branch, ...row } = sessionRow(info);
    const { branchOf } = info;
    const parent = branchOf && (known.get(branchOf.logId) ?? (await store.find(branchOf.logId))?.session);
    rows.push(branchOf === undefined ? row : { ...row, branch_of: { session: parent } });
  }
  return sessionTable(rows, options);
}
