import type { EventSeq, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventKind } from "../../../protocol/events/events.ts";
import { streamGap, withGaps } from "../../../session/history/gaps.ts";
import { isInRanges } from "../../../session/store/expired.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";

/** Events read from the log at a time. */
const PAGE_EVENTS = 256;

/**
 * Yields the events of a log above `since`, in order, with a StreamGap for expired content. Ends at the event that was
 * the last one at the call.
 */
export async function* readLog(
  store: Pick<SessionStore, "expired" | "markedEvents">,
  id: SessionId,
  { logId, lastEvent: to, updatedAt: ts }: Pick<LogInfo, "logId" | "lastEvent" | "updatedAt">,
  since: EventSeq,
): AsyncGenerator<Envelope> {
  const expired = await store.expired(logId);
  let [cursor, last] = [since, since];
  while (cursor < to) {
    const page = await store.markedEvents(logId, cursor, PAGE_EVENTS);
    cursor = page.at(-1)?.id ?? to;
    const remaining = page.filter((event) => event.id <= to && !isInRanges(event.id, expired));
    for (const event of withGaps(remaining, last, id)) {
      last = event.id;
      yield event;
    }
  }
  if (last < to) yield streamGap({ from: last + 1, to }, { session: id, ts });
}

/** Yields the events of these kinds whose content has not expired, in order; others may be among them. */
export async function* readKept(
  store: Pick<SessionStore, "expired" | "markedEvents">,
  { logId, lastEvent }: Pick<LogInfo, "logId" | "lastEvent">,
  kinds: readonly EventKind[],
): AsyncGenerator<Envelope> {
  const expired = await store.expired(logId);
  for (let cursor = 0; cursor < lastEvent; ) {
    const page = await store.markedEvents(logId, cursor, PAGE_EVENTS, kinds);
    yield* page.filter(({ id }) => id <= lastEvent && !isInRanges(id, expired));
    cursor = page.length < PAGE_EVENTS ? lastEvent : (page.at(-1)?.id ?? lastEvent);
  }
}
