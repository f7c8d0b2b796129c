import { periodicPause } from "../../../base/async/periodic-pause.ts";
import { HarnessError } from "../../../base/errors.ts";
import { isId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { QueryOf } from "../../../protocol/queries/queries.ts";
import { FILTERED_LIST_MS_MAX } from "../../../protocol/queries/session-queries.ts";
import type { LogInfo, LogQuery, SessionStore } from "../../../session/store/store.ts";

/** Logs that a list with a filter reads from the store at a time. */
const CHUNK_LOGS = 256;

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
  readonly fits?: ((log: LogInfo) => boolean) | undefined;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly signal: AbortSignal;
}

/**
 * Reads a page of stored logs, the newest first. A filter that finds few reads for `FILTERED_LIST_MS_MAX` at most. The
 * page is then short, and its cursor continues after the last log that was read.
 */
export async function storedPage(
  store: Pick<SessionStore, "list">,
  { limit, query, before, fits, clock, signal }: PageOptions,
): Promise<ListPage> {
  const breathe = periodicPause(clock, signal);
  const endMs = clock.monotonic() + FILTERED_LIST_MS_MAX;
  const chunk = fits === undefined ? limit + 1 : Math.max(CHUNK_LOGS, limit + 1);
  const found: LogInfo[] = [];
  for (let last = before; ; ) {
    await breathe();
    const logs = await store.list({
      ...query,
      ...(last === undefined ? {} : { before: last }),
      limit: chunk,
    });
    found.push(...(fits === undefined ? logs : logs.filter(fits)));
    if (found.length > limit) return pageOf(found.slice(0, limit), found[limit - 1]);
    last = logs.at(-1);
    if (logs.length < chunk) return { logs: found };
    if (clock.monotonic() >= endMs) return pageOf(found, last);
  }
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
  if (more === undefined && !Number.isNaN(Date.parse(updatedAt)) && isId("log", logId))
    return { updatedAt, logId };
  const why = "before: it is not a cursor of a list; begin again without it";
  throw new HarnessError("InvalidQuery", { kind: "ListSessions", why });
}

/** Returns the test that a filter makes of a log; undefined without a filter. */
export function listFilter(
  { text = "", state }: Pick<QueryOf<"ListSessions">, "text" | "state">,
  stateOf: (log: LogInfo) => string,
): ((log: LogInfo) => boolean) | undefined {
  const words = folded(text)
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0 && state === undefined) return undefined;
  return (log) => (state === undefined || stateOf(log) === state) && hasWords(log, words);
}

function hasWords({ title, session, logId, workingDir }: LogInfo, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const fields = [title, session, logId, workingDir].map(folded);
  return fields.some((field) => words.every((word) => field.includes(word)));
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
