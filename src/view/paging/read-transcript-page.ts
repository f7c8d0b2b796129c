import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Connection } from "../../protocol/connection.ts";
import { reachedBy } from "../follow.ts";
import type { PagePosition, TranscriptPage } from "../transcript/pages.ts";
import { PageReader } from "../transcript/pages.ts";
import type { TranscriptSegment } from "../transcript/transcript.ts";

/** The part of a session to read. */
export interface WantedPage {
  readonly session: SessionId;
  /** A segment without items. */
  readonly segment: Pick<TranscriptSegment, "first" | "last">;
  readonly place: PagePosition;
  /** The last event of the log that is known to exist: reading never waits for a later one. */
  readonly reached: EventSeq;
  readonly signal: AbortSignal;
}

/**
 * Reads one page of a part that was left out of a transcript. Reads about `PAGE_EVENTS` events, and some more for the
 * results of its calls.
 * @throws HarnessError if the engine refuses; the error that broke the subscription.
 */
export async function readTranscriptPage(
  connection: Pick<Connection, "subscribe">,
  { session, segment, place, reached, signal }: WantedPage,
): Promise<TranscriptPage> {
  const reader = new PageReader(segment, place);
  for await (const envelope of connection.subscribe(session, { since: reader.since, signal }))
    if (!reader.add(envelope) || reachedBy(envelope) >= reached) break;
  return reader.page;
}
