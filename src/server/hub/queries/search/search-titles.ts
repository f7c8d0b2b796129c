import type { LogId } from "../../../../base/ids.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import { SEARCH_TITLES_MAX } from "../../../../protocol/queries/search-queries.ts";
import type { SearchTerms } from "../../../../session/search/search-terms.ts";
import type { SessionStore } from "../../../../session/store/store.ts";

type Search = QueryOf<"SearchSessions">;
type TitleHits = NonNullable<ResultOf<"SearchSessions">["titles"]>;

export interface TitleSearch {
  readonly terms: SearchTerms;
  /** Undefined: all logs. */
  readonly logs: readonly LogId[] | undefined;
  readonly signal: AbortSignal;
  readonly timeOver: AbortSignal;
}

/**
 * Returns the sessions whose titles, as people gave them, match; undefined if the time was over before all of them
 * were compared. Such titles are no events: no index knows them, and there are few.
 */
export async function matchingTitles(
  { text, tool, file, from, to, cursor, workingDir }: Search,
  store: Pick<SessionStore, "find" | "notes">,
  { terms, logs, signal, timeOver }: TitleSearch,
): Promise<TitleHits | undefined> {
  const isAboutItems = [tool, file, from, to, cursor].some((field) => field !== undefined);
  if (isAboutItems || text.trim() === "") return [];
  const hits: TitleHits[number][] = [];
  for (const logId of (await store.notes?.renamed?.()) ?? []) {
    signal.throwIfAborted();
    if (timeOver.aborted) return undefined;
    if (logs !== undefined && !logs.includes(logId)) continue;
    const info = await store.find(logId);
    if (info?.renamed !== true || (workingDir !== undefined && info.workingDir !== workingDir)) continue;
    const { title, session } = info;
    const match = terms.match({ event: 1, ts: "", kind: "prompt", files: [], text: title });
    if (match !== undefined) hits.push({ session, log: logId, title: match.snippet, at: match.at });
    if (hits.length === SEARCH_TITLES_MAX) break;
  }
  return hits;
}
