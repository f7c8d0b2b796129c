import type { SessionId } from "../../../../base/ids.ts";
import type { Scope } from "../../../../session/access/scope.ts";
import { EVERYTHING } from "../../../../session/access/scope.ts";
import type { QueryContext, QueryHandlers } from "../../../../session/commands/query-handlers.ts";
import type { LogInfo } from "../../../../session/store/store.ts";
import type { HistoryStore } from "./history-reader.ts";
import { HistoryReader } from "./history-reader.ts";
import { getItem, listItems } from "./item-pages.ts";
import { listTurns } from "./turn-pages.ts";

export interface HistoryQuerySources {
  readonly store: HistoryStore;
  /** @throws HarnessError Forbidden, UnknownSession. */
  find(id: SessionId, scope: Scope): Promise<LogInfo>;
}

/** Answers queries about the history of a session from its log, each with a bounded read of it (CTL-19). */
export function historyQueries({ store, find }: HistoryQuerySources) {
  const open = async (id: SessionId, { scope = EVERYTHING, signal }: QueryContext) =>
    await HistoryReader.open(store, await find(id, scope), signal);
  return {
    ListTurns: async (query, asking) => await listTurns(await open(query.sessionId, asking), query),
    ListItems: async (query, asking) => await listItems(await open(query.sessionId, asking), query),
    GetItem: async (query, asking) => await getItem(await open(query.sessionId, asking), query.event),
  } satisfies QueryHandlers;
}
