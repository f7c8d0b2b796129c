import type { EventSeq } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import { reachedBy } from "../../../view/follow.ts";
import type { ReadTail } from "../../../view/paging/older-facts.ts";
import { beginsItem, PAGE_EVENTS } from "../../../view/transcript/pages.ts";

/** Events before the last page that are read for a question or an input that waits since then. */
const OPEN_EVENTS_MAX = 20_000;

/**
 * Returns the event behind which the end of a long log is read: a page before its last event, or before a question or
 * an input that still waits.
 * @param past the last event of the log.
 */
export function tailStart(
  { asked_since, queued_since }: Pick<ResultOf<"GetSession">, "asked_since" | "queued_since">,
  past: EventSeq,
): EventSeq {
  const page = past - PAGE_EVENTS;
  const waiting = [asked_since, queued_since].flatMap((event) =>
    event === undefined || event <= page - OPEN_EVENTS_MAX ? [] : [event],
  );
  return Math.min(page, ...waiting);
}

/** Reads events up to one that reaches a given one, or to the end. */
export async function eventsUpTo(
  events: AsyncGenerator<Envelope>,
  past: EventSeq,
): Promise<readonly Envelope[]> {
  const read: Envelope[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    read.push(next.value);
    if (reachedBy(next.value) >= past) break;
  }
  return read;
}

/** Returns the event behind which the transcript begins: between two items, if there is such a place near by. */
export function lastBefore({ events, since }: ReadTail): EventSeq {
  const near = events.slice(0, Math.ceil(events.length / 2));
  const first = near.find((each) => beginsItem(each));
  return first === undefined ? since : first.id - 1;
}
