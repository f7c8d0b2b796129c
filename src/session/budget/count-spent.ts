import type { LogId } from "../../base/ids.ts";
import { isObject, stringAt } from "../../base/json.ts";
import type { SessionStore } from "../store/store.ts";
import type { Spend, SpendTotals } from "./spend.ts";
import { NOTHING_SPENT } from "./spend.ts";

/**
 * Kind of the CustomEvent of the namespace `cinch` that begins the log of a task: `{session, log, callId}` of the
 * session that delegated it.
 */
export const DELEGATED = "Delegated";
/** Tasks of one session that are counted. */
const TASKS_MAX = 100_000;

/**
 * Counts the cost of the runs before this one, with the tasks that they delegated. The cost that a branch inherited
 * counts in its source.
 */
export async function countSpent(store: SessionStore, logId: LogId, spend: Spend): Promise<void> {
  for (const log of [logId, ...(await tasksOf(store, logId))])
    for (const cost of await store.costs(log, 0)) spend.count(cost);
}

/**
 * Returns the cost of the sessions before a log. Its first event reports it, unless the log is a branch and inherited
 * that event.
 */
export async function spentBefore(
  store: Pick<SessionStore, "events" | "find">,
  logId: LogId,
): Promise<SpendTotals> {
  const [first] = await store.events(logId, 0, 1);
  if (first?.kind !== "ProfileSwitched" || first.payload.spentBefore === undefined) return NOTHING_SPENT;
  const inherited = (await store.find(logId))?.branchOf?.at ?? 0;
  return first.id < inherited ? NOTHING_SPENT : first.payload.spentBefore;
}

/**
 * Returns the tasks among the logs that branch off this one, by what the log of each reports: other logs branch off
 * it too.
 */
async function tasksOf(store: SessionStore, logId: LogId): Promise<readonly LogId[]> {
  const tasks: LogId[] = [];
  for (const below of await store.list({ branchOf: logId, limit: TASKS_MAX })) {
    const [first] = await store.events(below.logId, 0, 1);
    if (first?.kind !== "CustomEvent" || first.payload.kind !== DELEGATED) continue;
    const { namespace, payload } = first.payload;
    if (namespace === "cinch" && isObject(payload) && stringAt(payload, "log") === logId)
      tasks.push(below.logId);
  }
  return tasks;
}
