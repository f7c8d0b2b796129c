import { breather } from "../../base/async/breather.ts";
import { hasReason } from "../../base/errors.ts";
import type { EventSeq, LogId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { standInEvent } from "../../session/transcript/stand-in.ts";

const PAGE_EVENTS = 500;
/** So many in a row that cannot be read are told one by one. After that nothing is looked for any more: a number may be wrong. */
export const UNREADABLE_RUN_MAX = 10_000;

export interface ReadOptions {
  /** The last event that is not wanted; absent: all are. */
  readonly since?: EventSeq;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/**
 * Every event of a log from one on, in order, page by page: what has expired is marked in its place, and so is what
 * cannot be read any more (SES-16).
 */
export async function* eventsOf(
  store: Pick<SessionStore, "markedEvents">,
  { logId, session, createdAt, lastEvent }: Pick<LogInfo, "logId" | "session" | "createdAt" | "lastEvent">,
  { since = 0, signal, clock }: ReadOptions,
): AsyncGenerator<Envelope> {
  const breathe = breather(clock, signal);
  let last: Pick<Envelope, "id" | "session" | "ts"> = { id: since, session, ts: createdAt };
  let limit = PAGE_EVENTS;
  let unreadable = 0;
  while (last.id < lastEvent) {
    await breathe();
    const wanted = Math.min(limit, lastEvent - last.id);
    const page = await readPage(store, logId, { since: last.id, limit: wanted });
    if (page === undefined && wanted > 1) {
      limit = Math.ceil(wanted / 2); // smaller and smaller, until the one that is damaged stands alone
      continue;
    }
    limit = PAGE_EVENTS;
    const events = page ?? [];
    // A number that is missing among those that are there is damage too.
    const upTo = page === undefined ? last.id + 1 : (events.at(-1)?.id ?? lastEvent);
    let at = 0;
    for (let id = last.id + 1; id <= upTo; id++) {
      const event = events[at]?.id === id ? events[at] : undefined;
      if (event !== undefined) at += 1;
      last = event ?? { ...last, id };
      unreadable = event === undefined ? unreadable + 1 : 0;
      if (unreadable > UNREADABLE_RUN_MAX) return;
      yield event ?? standInEvent(last, "EventUnreadable");
    }
  }
}

async function readPage(
  store: Pick<SessionStore, "markedEvents">,
  logId: LogId,
  { since, limit }: { readonly since: EventSeq; readonly limit: number },
): Promise<readonly Envelope[] | undefined> {
  try {
    return await store.markedEvents(logId, since, limit);
  } catch (thrown) {
    if (hasReason(thrown, "StoreCorrupt")) return undefined;
    throw thrown;
  }
}
