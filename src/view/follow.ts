import { HarnessError } from "../base/errors.ts";
import type { EventSeq, SessionId } from "../base/ids.ts";
import type { Connection, SubscribeOptions } from "../protocol/connection.ts";
import type { Envelope } from "../protocol/events/envelope.ts";

/** Times in a row that a subscription that brought nothing new is opened again. */
export const RESUBSCRIBE_TIMES_MAX = 5;

/**
 * Subscribes to a session's events again after each break, behind the last event seen. The reader gets every event
 * once and in order (CTL-03).
 *
 * Ends after SessionEnded or when the signal aborts; leaving the loop unsubscribes. The subscription is open, and
 * nothing later is missed, once the first `next()` has been called.
 * @throws HarnessError if the engine refuses, and the error that broke the subscription `RESUBSCRIBE_TIMES_MAX` times
 * in a row without a new event.
 */
export async function* followSession(
  connection: Connection,
  session: SessionId,
  options: SubscribeOptions,
): AsyncGenerator<Envelope> {
  const { since: first, ...subscription } = options;
  const { signal } = options;
  let since = first;
  let fruitless = 0;
  while (!signal.aborted) {
    let failure: unknown = new SubscriptionEnded();
    try {
      const wanted = since === undefined ? subscription : { ...subscription, since };
      for await (const envelope of connection.subscribe(session, wanted)) {
        if (isBesideLog(envelope)) {
          yield envelope;
          continue;
        }
        const reached = reachedBy(envelope);
        if (since !== undefined && reached <= since) continue;
        since = reached;
        fruitless = 0;
        yield envelope;
        if (envelope.kind === "SessionEnded" && envelope.session === (connection.runOf?.(session) ?? session))
          return;
      }
    } catch (thrown) {
      failure = thrown;
    }
    if (signal.aborted) return;
    fruitless += 1;
    if (failure instanceof HarnessError || fruitless > RESUBSCRIBE_TIMES_MAX) throw failure;
  }
}

/** Opens a subscription at once, instead of with the first `next()`. The reader gets its failure. */
export function openSubscription(events: AsyncGenerator<Envelope>): AsyncGenerator<Envelope> {
  const first = events.next();
  first.catch(() => undefined); // the reader gets it
  return (async function* () {
    try {
      for (let next = await first; next.done !== true; next = await events.next()) yield next.value;
    } finally {
      await events.return(undefined);
    }
  })();
}

/** A subscription that ended again and again without SessionEnded. */
export class SubscriptionEnded extends Error {
  override readonly name = "SubscriptionEnded";
  constructor() {
    super("the engine ended the event stream before the session had ended");
  }
}

/** Returns true for an event that is not in the log: it has the id of the event before it. */
export function isBesideLog({ kind, aside }: Envelope): boolean {
  return kind === "TokenExpiring" || aside === true;
}

/**
 * Returns true for a StreamGap that keeps events of the log from this reader: what is open may be another. A crash
 * takes its events from the log, so that nobody misses them.
 */
export function isMissing({ kind, payload }: Envelope): boolean {
  return kind === "StreamGap" && payload.reason !== "crash";
}

/** Returns the last event that an envelope stands for: a gap stands for all that it covers. */
export function reachedBy(envelope: Envelope): EventSeq {
  return envelope.kind === "StreamGap" ? Math.max(envelope.id, envelope.payload.to) : envelope.id;
}
