import { HarnessError } from "../../../../base/errors.ts";
import type { LogId } from "../../../../base/ids.ts";
import type { ProbedLog, SearchIndex, SearchProbe } from "../../../../session/search/search-index.ts";
import type { SessionStore } from "../../../../session/store/store.ts";
import type { SearchedUpTo } from "./search-cursor.ts";

/** Logs that are probed at a time: few at first, since they may hold enough hits. */
const LOGS_AT_FIRST = 4;
const LOGS_AT_ONCE = 64;
/** Events of a log that are indexed before it is searched. A longer log is searched first, its newest events first. */
export const INDEXED_FIRST_MAX = 4_096;
/** Logs of a store without an index that are searched. */
export const UNINDEXED_LOGS_MAX = 10_000;

export type SearchedStore = Pick<
  SessionStore,
  "eventsBefore" | "expired" | "find" | "list" | "markedEvents" | "notes" | "search"
>;

export interface LogSelection {
  /** Undefined: all logs. */
  readonly logs: readonly LogId[] | undefined;
  readonly from: SearchedUpTo | undefined;
  readonly probe: Pick<SearchProbe, "grams" | "from" | "below" | "workingDir">;
  readonly signal: AbortSignal;
  /** Aborts when the time of the search is over: nothing is indexed any more. */
  readonly timeOver: AbortSignal;
}

/** Logs to search, the one that began last first. */
export interface SearchedLogs {
  readonly logs: AsyncIterable<ProbedLog>;
  /** True if the store has more logs than were listed, and no index to find them by. */
  readonly isCut: () => boolean;
  /** True if a log was searched that is too long to be indexed first. */
  readonly isUnindexed: () => boolean;
}

export function searchedLogs(store: SearchedStore, selection: LogSelection): SearchedLogs {
  const { search } = store;
  let [isCut, isUnindexed] = [false, false];
  const onLong = () => {
    isUnindexed = true;
  };
  if (search !== undefined)
    return {
      logs: indexedLogs(search, { ...selection, onLong }),
      isCut: () => false,
      isUnindexed: () => isUnindexed,
    };
  const logs = listedLogs(store, selection, () => {
    isCut = true;
  });
  return { logs, isCut: () => isCut, isUnindexed: () => false };
}

/** Calls `onLong` for a log that is too long to be indexed first. */
type IndexedSelection = LogSelection & { readonly onLong: () => void };

async function* indexedLogs(index: SearchIndex, selection: IndexedSelection): AsyncGenerator<ProbedLog> {
  const { logs: named, from, probe } = selection;
  const begun = from?.before === undefined ? undefined : from.logId;
  if (named !== undefined) {
    for (const only of inOrder(named, from))
      yield* await indexed(index, await index.probe({ ...probe, only, limit: 1 }), selection);
    return;
  }
  if (begun !== undefined)
    yield* await indexed(index, await index.probe({ ...probe, only: begun, limit: 1 }), selection);
  let before = from?.logId;
  for (let limit = LOGS_AT_FIRST; ; limit = LOGS_AT_ONCE) {
    const page = await index.probe({ ...probe, before, limit });
    for (const log of page) {
      yield* await indexed(index, [log], selection);
      before = log.logId;
    }
    if (page.length < limit) return;
  }
}

/** Returns the same logs after what they lack in the index was added: their parts are then fewer. */
async function indexed(
  index: SearchIndex,
  logs: readonly ProbedLog[],
  { probe, signal, timeOver, onLong }: IndexedSelection,
): Promise<readonly ProbedLog[]> {
  const [log] = logs;
  if (log === undefined || log.unindexed === 0 || timeOver.aborted) return logs;
  if (log.unindexed > INDEXED_FIRST_MAX) {
    onLong();
    return logs;
  }
  try {
    if (!(await index.index(log.logId, timeOver))) return logs;
  } catch (thrown) {
    signal.throwIfAborted();
    // A store that cannot be written, or a log that cannot be read whole: what is not indexed is read.
    if (!timeOver.aborted && !(thrown instanceof HarnessError)) throw thrown;
  }
  return await index.probe({ ...probe, only: log.logId, limit: 1 });
}

/** Lists the logs of a store without an index: all of each must be read. */
async function* listedLogs(
  store: SearchedStore,
  { logs: named, from, probe }: LogSelection,
  onCut: () => void,
): AsyncGenerator<ProbedLog> {
  const { workingDir } = probe;
  const where = workingDir === undefined ? {} : { workingDir };
  const infos =
    named === undefined
      ? await store.list({ ...where, limit: UNINDEXED_LOGS_MAX })
      : (await Promise.all(named.map((logId) => store.find(logId)))).filter((info) => info !== undefined);
  if (named === undefined && infos.length >= UNINDEXED_LOGS_MAX) onCut();
  const byId = new Map(infos.map((info) => [info.logId, info]));
  for (const logId of inOrder([...byId.keys()], from)) {
    const info = byId.get(logId);
    if (info === undefined || (workingDir !== undefined && info.workingDir !== workingDir)) continue;
    const { lastEvent } = info;
    const parts = lastEvent === 0 ? [] : [{ from: 1, to: lastEvent }];
    yield { logId, lastEvent, expired: await store.expired(logId), parts, unindexed: lastEvent };
  }
}

/** Returns the logs from a position on. An id of a log begins with the time at which the log began. */
function inOrder(logs: readonly LogId[], from: SearchedUpTo | undefined): readonly LogId[] {
  const remaining =
    from === undefined
      ? logs
      : logs.filter((logId) => logId < from.logId || (logId === from.logId && from.before !== undefined));
  return [...remaining].sort((a, b) => (a < b ? 1 : -1));
}
