import { deadline } from "../../../../base/async/deadline.ts";
import { defined } from "../../../../base/defined.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { LogId, SessionId } from "../../../../base/ids.ts";
import type { Moment } from "../../../../base/text/moment.ts";
import { LAST_MOMENT, momentText, readMoment } from "../../../../base/text/moment.ts";
import type { World } from "../../../../base/world.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import { SEARCH_HITS, SEARCH_MS } from "../../../../protocol/queries/search-queries.ts";
import type { Scope } from "../../../../session/access/scope.ts";
import { EVERYTHING } from "../../../../session/access/scope.ts";
import type { QueryContext, QueryHandlers } from "../../../../session/commands/query-handlers.ts";
import { SearchTerms } from "../../../../session/search/search-terms.ts";
import type { LogInfo } from "../../../../session/store/store.ts";
import { parseCursor, renderCursor } from "./search-cursor.ts";
import type { LogMatch } from "./search-run.ts";
import { SearchRun } from "./search-run.ts";
import { matchingTitles } from "./search-titles.ts";
import type { SearchedStore } from "./searched-logs.ts";
import { searchedLogs } from "./searched-logs.ts";

type Search = QueryOf<"SearchSessions">;
type SearchAnswer = ResultOf<"SearchSessions">;

const DAY_MS = 86_400_000;

export interface SearchQuerySources {
  readonly store: SearchedStore;
  readonly world: Pick<World, "clock">;
  /** @throws HarnessError Forbidden, UnknownSession. */
  find(id: SessionId, scope: Scope): Promise<LogInfo>;
}

/** Answers searches in the text of the sessions that the client may see (CTL-19). */
export function searchQueries(sources: SearchQuerySources) {
  return {
    SearchSessions: async (query, asking) => await searchSessions(query, asking, sources),
  } satisfies QueryHandlers;
}

async function searchSessions(
  query: Search,
  { scope = EVERYTHING, signal }: QueryContext,
  { store, world, find }: SearchQuerySources,
): Promise<SearchAnswer> {
  const { limit = SEARCH_HITS, timeMs = SEARCH_MS, sessionId, workingDir } = query;
  const times = { from: startOf(query.from), below: endOf(query.to) };
  const terms = new SearchTerms({ ...query, ...times });
  const from = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const logs = sessionId === undefined ? await logsIn(scope, store) : [(await find(sessionId, scope)).logId];
  using time = deadline(world.clock, timeMs, signal);
  const probe = { ...times, workingDir, grams: terms.grams };
  const searched = searchedLogs(store, { logs, from, probe, signal, timeOver: time.signal });
  const titles = await matchingTitles(query, store, { terms, logs, signal, timeOver: time.signal });
  const run = new SearchRun({ store, world, terms, limits: { hits: limit, ms: timeMs }, signal });
  const stopped = await run.search(searched.logs, from);
  const isSlow = stopped !== undefined && run.matches.length < limit;
  if (isSlow || searched.isUnindexed()) await store.search?.indexAll();
  return {
    hits: await hitsOf(run.matches, store),
    ...(titles === undefined || titles.length === 0 ? {} : { titles }),
    complete:
      titles !== undefined && stopped === undefined && !searched.isCut() && run.counts.unreadable === 0,
    ...(stopped === undefined ? {} : { cursor: renderCursor(stopped) }),
    searched: run.counts,
  };
}

/** Returns the logs that a scope names; undefined for all. */
async function logsIn({ sessions }: Scope, store: SearchedStore): Promise<readonly LogId[] | undefined> {
  if (sessions === "all") return undefined;
  const logs = new Set<LogId>();
  for (const session of sessions) {
    const info = await store.find(session);
    if (info !== undefined) logs.add(info.logId);
  }
  return [...logs];
}

async function hitsOf(matches: readonly LogMatch[], store: SearchedStore): Promise<SearchAnswer["hits"]> {
  const infos = new Map<LogId, LogInfo | undefined>();
  const hits: SearchAnswer["hits"][number][] = [];
  for (const { logId, match } of matches) {
    if (!infos.has(logId)) infos.set(logId, await store.find(logId));
    const info = infos.get(logId);
    if (info === undefined) continue; // it was deleted meanwhile
    const { event, kind, ts, tool, parentCall, turn } = match.item;
    hits.push({
      session: info.session,
      log: logId,
      title: info.title,
      event,
      kind,
      ts,
      ...defined({ tool, parent_call: parentCall, turn: turn === "unknown" ? undefined : turn }),
      snippet: match.snippet,
      at: match.at,
    });
  }
  return hits;
}

/** Returns the start of a day, or the time, as events have it; for one after the year 9999 the last time of that. */
function startOf(moment: string | undefined): string | undefined {
  return moment === undefined ? undefined : (momentText(parsed(moment).ms) ?? LAST_MOMENT);
}

/** Returns the first time behind a day, or behind a time; undefined if no event can have it. */
function endOf(moment: string | undefined): string | undefined {
  if (moment === undefined) return undefined;
  const { ms, isDay } = parsed(moment);
  return momentText(ms + (isDay ? DAY_MS : 1));
}

function parsed(text: string): Moment {
  const moment = readMoment(text);
  if (moment !== undefined) return moment;
  const why = `${text} is not a day and not a time`;
  throw new HarnessError("InvalidQuery", { kind: "SearchSessions", why });
}
