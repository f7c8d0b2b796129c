import { periodicPause } from "../../base/async/periodic-pause.ts";
import { hasReason } from "../../base/errors.ts";
import type { EventSeq, LogId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { crashRange } from "../../session/store/log-facts.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { standInEvent } from "../../session/transcript/stand-in.ts";

const PAGE_EVENTS = 500;
/** Unreadable events in a row that are reported one by one. After that the search stops: a number may be wrong. */
export const UNREADABLE_RUN_MAX = 10_000;

export interface ReadOptions {
  /** The last event that is left out; absent: none. */
  readonly since?: EventSeq;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
}

/**
 * Yields every event of a log from one on, in order, page by page: expired events are marked in their places, and so
 * are unreadable ones (SES-16).
 */
export async function* eventsOf(
  store: Pick<SessionStore, "markedEvents">,
  { logId, session, createdAt, lastEvent }: Pick<LogInfo, "logId" | "session" | "createdAt" | "lastEvent">,
  { since = 0, signal, clock }: ReadOptions,
): AsyncGenerator<Envelope> {
  const breathe = periodicPause(clock, signal);
  let last: Pick<Envelope, "id" | "session" | "ts"> = { id: since, session, ts: createdAt };
  let limit = PAGE_EVENTS;
  let unreadable = 0;
  while (last.id < lastEvent) {
    await breathe();
    const wanted = Math.min(limit, lastEvent - last.id);
    const page = await readPage(store, logId, { since: last.id, limit: wanted });
    if (page === undefined && wanted > 1) {
      limit = Math.ceil(wanted / 2); // smaller and smaller, until the damaged one is alone
      continue;
    }
    limit = PAGE_EVENTS;
    const events = page ?? [];
    // A missing number among existing ones is damage too.
    const upTo = page === undefined ? last.id + 1 : (events.at(-1)?.id ?? lastEvent);
    let at = 0;
    for (let id = last.id + 1; id <= upTo; id++) {
      const next = events[at];
      // The ids that a crash took are missing by right.
      if (next !== undefined && crashRange(next)?.from === id) ({ id } = next);
      const event = next?.id === id ? next : undefined;
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
