import { periodicPause } from "../../../base/async/periodic-pause.ts";
import { HarnessError } from "../../../base/errors.ts";
import { isId } from "../../../base/ids.ts";
import { readMoment } from "../../../base/text/moment.ts";
import type { Clock } from "../../../base/world.ts";
import type { QueryOf } from "../../../protocol/queries/queries.ts";
import { FILTERED_LIST_MS_MAX } from "../../../protocol/queries/session-queries.ts";
import type { LogInfo, LogName, LogQuery, SessionStore } from "../../../session/store/store.ts";

/** Logs whose names a list with a filter reads from the store at a time. */
const CHUNK_LOGS = 64;

/** One page of logs. */
export interface ListPage {
  readonly logs: readonly LogInfo[];
  /** Cursor of the page that follows. Absent: there is none. */
  readonly cursor?: string;
}

export interface PageOptions {
  readonly limit: number;
  readonly query: Omit<LogQuery, "limit" | "before">;
  readonly before: LogQuery["before"];
  /** Absent: every log fits. */
  readonly fits?: ((log: LogName) => boolean) | undefined;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly signal: AbortSignal;
}

/**
 * Reads a page of stored logs, the newest first. A filter that finds few reads for `FILTERED_LIST_MS_MAX` at most. The
 * page is then short, and its cursor continues after the last log that was read.
 */
export async function storedPage(
  store: Pick<SessionStore, "find" | "list" | "names">,
  { limit, query, before, fits, clock, signal }: PageOptions,
): Promise<ListPage> {
  const since = before === undefined ? {} : { before };
  if (fits === undefined) {
    const logs = await store.list({ ...query, ...since, limit: limit + 1 });
    return logs.length > limit ? pageOf(logs.slice(0, limit), logs[limit - 1]) : { logs };
  }
  const wanted = { limit, query, before, fits, clock, signal };
  if (store.names === undefined) return pageIn(await filtered((names) => store.list(names), wanted));
  const { names } = store;
  const { logs: found, last } = await filtered((each) => names.call(store, each), wanted);
  return pageIn({ logs: await infosOf(store, found), last });
}

type FilterOptions = Omit<PageOptions, "fits"> & Required<Pick<PageOptions, "fits">>;

/** Logs that fit, and the last that was read if there may be more. */
interface Filtered<Log> {
  readonly logs: readonly Log[];
  readonly last: LogQuery["before"];
}

async function filtered<Log extends LogName>(
  read: (query: LogQuery) => Promise<readonly Log[]>,
  { limit, query, before, fits = () => true, clock, signal }: FilterOptions,
): Promise<Filtered<Log>> {
  const breathe = periodicPause(clock, signal);
  const endMs = clock.monotonic() + FILTERED_LIST_MS_MAX;
  const found: Log[] = [];
  for (let last = before; ; ) {
    await breathe();
    const logs = await read({
      ...query,
      ...(last === undefined ? {} : { before: last }),
      limit: CHUNK_LOGS,
    });
    found.push(...logs.filter(fits));
    if (found.length > limit) return { logs: found.slice(0, limit), last: found[limit - 1] };
    last = logs.at(-1);
    if (logs.length < CHUNK_LOGS) return { logs: found, last: undefined };
    if (clock.monotonic() >= endMs) return { logs: found, last };
  }
}

function pageIn({ logs, last }: Filtered<LogInfo>): ListPage {
  return last === undefined ? { logs } : pageOf(logs, last);
}

/** Reads what a page shows of logs, without those that were deleted meanwhile. */
async function infosOf(
  store: Pick<SessionStore, "find">,
  names: readonly LogName[],
): Promise<readonly LogInfo[]> {
  const infos = await Promise.all(names.map(({ logId }) => store.find(logId)));
  return infos.filter((info) => info !== undefined);
}

/** Returns a page of logs that are in memory, in the order of a list. */
export function memoryPage(
  logs: readonly LogInfo[],
  { limit, before, fits = () => true }: Pick<PageOptions, "limit" | "before" | "fits">,
): ListPage {
  const sorted = logs.toSorted(inOrder).filter((log) => before === undefined || inOrder(before, log) < 0);
  const found = sorted.filter(fits);
  return found.length > limit ? pageOf(found.slice(0, limit), found[limit - 1]) : { logs: found };
}

function inOrder(a: Pick<LogInfo, "updatedAt" | "logId">, b: Pick<LogInfo, "updatedAt" | "logId">): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  if (a.logId === b.logId) return 0;
  return a.logId < b.logId ? 1 : -1;
}

function pageOf(logs: readonly LogInfo[], last: LogQuery["before"]): ListPage {
  return last === undefined ? { logs } : { logs, cursor: `${last.updatedAt}/${last.logId}` };
}

/** Reads the cursor of a page. @throws HarnessError InvalidQuery. */
export function readListCursor(cursor: string | undefined): LogQuery["before"] {
  if (cursor === undefined) return undefined;
  const [updatedAt = "", logId = "", more] = cursor.split("/");
  if (more === undefined && readMoment(updatedAt)?.isDay === false && isId("log", logId))
    return { updatedAt, logId };
  const why = "before: it is not a cursor of a list; begin again without it";
  throw new HarnessError("InvalidQuery", { kind: "ListSessions", why });
}

/** Returns the test that a filter makes of a log; undefined without a filter. */
export function listFilter(
  { text = "", state }: Pick<QueryOf<"ListSessions">, "text" | "state">,
  stateOf: (log: LogName) => string,
): ((log: LogName) => boolean) | undefined {
  const words = folded(text)
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0 && state === undefined) return undefined;
  return (log) => (state === undefined || stateOf(log) === state) && hasWords(log, words);
}

function hasWords({ title, session, logId, workingDir }: LogName, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const fields = [title, session, logId, workingDir].map(folded);
  return fields.some((field) => words.every((word) => field.includes(word)));
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
