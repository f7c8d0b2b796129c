import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { crashRange } from "../store/log-facts.ts";
import type { EventRange } from "../store/store.ts";

/** Returns an event that reports to one reader that events of a log have lost their content; never stored (CTL-14). */
export function streamGap(
  { from, to }: EventRange,
  at: { readonly session: SessionId; readonly ts: string },
): Envelope {
  return { id: to, ...at, kind: "StreamGap", payload: { from, to, reason: "ttl" } };
}

/** Returns the events of a log after one, with a StreamGap for events that are gone; the log has those of a crash. */
export function withGaps(
  events: readonly Envelope[],
  since: EventSeq,
  session: SessionId,
): readonly Envelope[] {
  let last = since;
  const isWhole = events.every(({ id }) => id === ++last);
  if (isWhole) return events;
  let cursor = since;
  return events.flatMap((event) => {
    const gap = { from: cursor + 1, to: (crashRange(event)?.from ?? event.id) - 1 };
    cursor = event.id;
    return gap.to < gap.from ? [event] : [streamGap(gap, { session, ts: event.ts }), event];
  });
}
