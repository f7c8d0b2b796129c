import { nextTurn } from "../../base/async/next-turn.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Connection } from "../../protocol/connection.ts";
import { reachedBy } from "../follow.ts";
import type { PagePosition, TranscriptPage, TranscriptRange } from "../transcript/pages.ts";
import { PageReader } from "../transcript/pages.ts";

/** Events that are taken in a row before other work has its turn. */
const EVENTS_AT_ONCE = 64;

/** The part of a session to read. */
export interface WantedPage {
  readonly session: SessionId;
  /** A segment without items. */
  readonly segment: TranscriptRange;
  readonly place: PagePosition;
  /** The last event of the log that is known to exist: reading never waits for a later one. */
  readonly reached: EventSeq;
  readonly signal: AbortSignal;
}

/**
 * Reads one page of a part that was left out of a transcript. Reads about `PAGE_EVENTS` events, and some more for the
 * results of its calls. Once the signal aborts, the page is of no use.
 * @throws HarnessError if the engine refuses; the error that broke the subscription.
 */
export async function readTranscriptPage(
  connection: Pick<Connection, "subscribe">,
  { session, segment, place, reached, signal }: WantedPage,
): Promise<TranscriptPage> {
  const reader = new PageReader(segment, place);
  let inARow = 0;
  for await (const envelope of connection.subscribe(session, { since: reader.since, signal })) {
    // Events that had come before the signal are still there.
    if (signal.aborted || !reader.add(envelope) || reachedBy(envelope) >= reached) break;
    inARow += 1;
    if (inARow % EVENTS_AT_ONCE === 0) await nextTurn();
  }
  return reader.page;
}
