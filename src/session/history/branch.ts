import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, LogId } from "../../base/ids.ts";
import { isTurnEnded } from "../../view/turn-marks.ts";
import type { Holder, NewLog, SessionStore, StoredMessage } from "../store/store.ts";
import { branchIds } from "./branch-ids.ts";

const EVENTS_PER_BATCH = 500;
/** Events that are read on either side for the nearest ends of turns. */
const LOOKED_THROUGH_MAX = 10_000;

/**
 * Makes a new log of another one's events up to the end of a turn (SES-08), and is independent from there.
 *
 * Every id in it is derived from the old one and the id of the new log. The same branch thus has the same bytes, and
 * no call of one log is taken for one of the other. Expired contents come along as «ttl-expired», and messages from
 * before a compaction come along too. A branch that broke off is not listed, and maintenance removes it. The source
 * may be in use.
 * @throws HarnessError SessionMissing, NotABoundary, StoreUnwritable …; the signal's reason.
 */
export async function branchLog(
  store: SessionStore,
  source: LogId,
  at: EventSeq,
  target: NewLog,
  holder: Holder,
  signal: AbortSignal,
): Promise<void> {
  await mustBeBoundary(store, source, at);
  const messages = await allMessages(store, source, at);
  const ids = branchIds(target.logId);
  await using writer = await store.create({ ...target, branchOf: { logId: source, at } }, holder);
  let since: EventSeq = 0;
  let message = 0;
  while (since < at) {
    signal.throwIfAborted();
    const found = await store.markedEvents(source, since, Math.min(EVENTS_PER_BATCH, at - since));
    const events = found.filter(({ id }) => id <= at); // ids that a crash took leave a hole
    const last = events.at(-1);
    if (last === undefined) throw new HarnessError("SessionMissing", { id: source }); // deleted meanwhile
    since = last.id;
    const from = message;
    while ((messages[message]?.after ?? Number.POSITIVE_INFINITY) <= since) message += 1;
    const batch = {
      events: events.map((event) => ids.event(event)),
      messages: messages.slice(from, message).map((stored) => ids.message(stored)),
    };
    await writer.append(batch, since === at ? "power" : "process");
  }
}

/** @throws HarnessError NotABoundary, which names the nearest boundaries. */
async function mustBeBoundary(store: SessionStore, source: LogId, at: EventSeq): Promise<void> {
  const before = (await store.eventsBefore(source, at, LOOKED_THROUGH_MAX)).filter((event) =>
    isTurnEnded(event),
  );
  if (before.at(-1)?.id === at) return;
  const after = (await store.markedEvents(source, at, LOOKED_THROUGH_MAX)).find((event) =>
    isTurnEnded(event),
  );
  const nearest = [before.at(-1), after].flatMap((event) =>
    event !== undefined ? [`event ${event.id} (turn ${event.payload.turn} ends)`] : [],
  );
  throw new HarnessError("NotABoundary", {
    id: source,
    at: `${at}`,
    wanted: "the end of a turn",
    nearest: nearest.length === 0 ? "none has ended yet" : nearest.join(" and "),
  });
}

/** Returns every message up to an event, also those before compactions. */
async function allMessages(
  store: SessionStore,
  source: LogId,
  at: EventSeq,
): Promise<readonly StoredMessage[]> {
  const views: (readonly StoredMessage[])[] = [];
  let upTo = at;
  while (true) {
    const view = await store.messagesAt(source, upTo);
    views.unshift(view);
    const first = view[0];
    if (first?.boundary !== true) return views.flat();
    upTo = first.after - 1;
  }
}
