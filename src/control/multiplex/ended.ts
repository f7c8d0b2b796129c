import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import type { SessionStore } from "../../session/store.ts";

/** Events read from the log in one go. */
const PAGE_EVENTS = 256;

/**
 * The events of a session that has ended, from its log: everything after `since` up to its SessionEnded, or that alone
 * where no `since` says from where on (CTL-03).
 *
 * @throws HarnessError UnknownSession where nothing is stored of it, or where its end is not: it broke off, or runs in
 * another process.
 */
export async function* endedSession(
  id: SessionId,
  store: Pick<SessionStore, "find" | "events">,
  { since, signal }: { readonly since: EventSeq | undefined; readonly signal: AbortSignal },
): AsyncGenerator<Envelope> {
  const log = await store.find(id);
  let cursor = since ?? 0;
  while (log !== undefined && !signal.aborted) {
    const page = await store.events(log.logId, cursor, PAGE_EVENTS);
    for (const event of page) {
      cursor = event.id;
      const isEnd = event.kind === "SessionEnded" && event.session === id;
      if (since !== undefined || isEnd) yield event;
      if (isEnd || signal.aborted) return;
    }
    if (page.length < PAGE_EVENTS) break;
  }
  if (!signal.aborted) throw new HarnessError("UnknownSession", { id });
}
