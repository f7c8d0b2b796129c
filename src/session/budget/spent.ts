import type { LogId } from "../../base/ids.ts";
import { isObject, stringAt } from "../../base/json.ts";
import type { SessionStore } from "../store/store.ts";
import type { Spend, SpendTotals } from "./spend.ts";
import { NOTHING_SPENT } from "./spend.ts";

/** The CustomEvent of the namespace `cinch` that begins the log of a task: `{session, log, callId}` of whoever gave it. */
export const DELEGATED = "Delegated";
/** Tasks of one session that are looked at. */
const TASKS_MAX = 100_000;

/**
 * Counts what the runs before this one have cost, with the tasks that were handed on. What a branch inherited was counted
 * where it was spent.
 */
export async function countSpent(store: SessionStore, logId: LogId, spend: Spend): Promise<void> {
  for (const log of [logId, ...(await tasksOf(store, logId))])
    for (const cost of await store.costs(log, 0)) spend.count(cost);
}

/** What the sessions before a log have cost: its first event says it, where that is its own and not that of a branch. */
export async function spentBefore(
  store: Pick<SessionStore, "events" | "find">,
  logId: LogId,
): Promise<SpendTotals> {
  const [first] = await store.events(logId, 0, 1);
  if (first?.kind !== "ProfileSwitched" || first.payload.spentBefore === undefined) return NOTHING_SPENT;
  const inherited = (await store.find(logId))?.branchOf?.at ?? 0;
  return first.id < inherited ? NOTHING_SPENT : first.payload.spentBefore;
}

/** By what the log of each says of itself: other logs came of this one too. */
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
