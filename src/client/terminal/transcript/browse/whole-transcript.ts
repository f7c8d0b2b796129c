import { whileAlive } from "../../../../base/async/deadline.ts";
import type { TranscriptRange } from "../../../../view/transcript/pages.ts";
import type { Transcript, TranscriptSegment } from "../../../../view/transcript/transcript.ts";
import type { Services } from "../../layout/services.ts";

/**
 * Returns the transcript with the pages that are not loaded; the transcript that is shown stays as it is. A part that
 * cannot be read stays without items, and the failure is shown.
 * @param signal ends the reading early: what is above the last page that was read stays without items.
 */
export async function wholeTranscript(
  { session, showFailure }: Pick<Services, "session" | "showFailure">,
  signal?: AbortSignal,
): Promise<Transcript> {
  const { transcript } = session;
  const parts: (readonly TranscriptSegment[])[] = [];
  for (const segment of transcript.segments.toReversed())
    parts.unshift(segment.items === undefined ? await readPart(segment) : [segment]);
  return { ...transcript, segments: parts.flat() };

  async function readPart({ first, last }: TranscriptRange): Promise<readonly TranscriptSegment[]> {
    let read: readonly TranscriptSegment[] = [];
    let left = last;
    try {
      while (left >= first && signal?.aborted !== true) {
        const reading = session.pageOf({ first, last: left }, "end");
        const page = await (signal === undefined ? reading : whileAlive(reading, signal));
        if (page === undefined) break;
        read = [...page.segments, ...read];
        left = Math.min(page.first, left) - 1;
      }
    } catch (thrown) {
      if (signal?.aborted !== true) showFailure(thrown);
    }
    return left < first ? read : [{ first, last: left, weight: 0 }, ...read];
  }
}
