import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { withGaps } from "../../session/history/gaps.ts";
import { isInRanges } from "../../session/store/expired.ts";
import { LogPages } from "../../session/store/log-pages.ts";
import type { SessionStore } from "../../session/store/store.ts";

const TITLES_PER_READ = 500;

/**
 * Yields the events of a session that has ended, from its log: everything after `since` up to its SessionEnded, or that
 * alone without a `since` (CTL-03). A StreamGap stands for expired content (CTL-14).
 *
 * @throws HarnessError UnknownSession if it is not stored, or its end is not: it broke off, or runs in another process.
 */
export async function* endedSessionEvents(
  id: SessionId,
  store: Pick<SessionStore, "find" | "markedEvents" | "expired">,
  { since, signal }: { readonly since: EventSeq | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Envelope> {
  const log = await store.find(id);
  const expired = log === undefined ? [] : await store.expired(log.logId);
  const isEnd = (event: Envelope) => event.kind === "SessionEnded" && event.session === id;
  let [cursor, deliveredTo] = [since ?? 0, since ?? 0];
  const pages = new LogPages(async (from, limit) =>
    log === undefined ? [] : await store.markedEvents(log.logId, from, limit),
  );
  for (let isLast = log === undefined; !isLast && !signal.aborted; ) {
    const page = await pages.after(cursor);
    ({ isLast } = page);
    cursor = page.events.at(-1)?.id ?? cursor;
    // Its end is known even if it has expired: it has no content.
    const remaining = page.events.filter((event) => isEnd(event) || !isInRanges(event.id, expired));
    for (const event of withGaps(remaining, deliveredTo, id)) {
      deliveredTo = event.id;
      if (since !== undefined || isEnd(event)) yield event;
      if (isEnd(event) || signal.aborted) return;
    }
  }
  if (!signal.aborted) throw new HarnessError("UnknownSession", { id });
}

/** Returns the title that the log of a session shows last; undefined if it shows none. */
export async function lastTitle(
  store: Pick<SessionStore, "markedEvents">,
  log: LogId,
  signal: AbortSignal,
): Promise<string | undefined> {
  let title: string | undefined;
  for (let cursor = 0, isLast = false; !isLast; ) {
    signal.throwIfAborted();
    const events = await store.markedEvents(log, cursor, TITLES_PER_READ, ["SessionRenamed"]);
    for (const event of events) if (event.kind === "SessionRenamed") ({ title } = event.payload);
    cursor = events.at(-1)?.id ?? cursor;
    isLast = events.length < TITLES_PER_READ;
  }
  return title;
}

/** Returns events that can be read once a condition holds; undefined if nothing is waited for. */
export function eventsOnce(
  coming: Promise<unknown> | undefined,
  events: () => AsyncIterable<Envelope>,
): AsyncIterable<Envelope> | undefined {
  if (coming === undefined) return undefined;
  return (async function* whenThere() {
    await Promise.allSettled([coming]);
    yield* events();
  })();
}
