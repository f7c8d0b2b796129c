import { describe, expect, test } from "bun:test";
import type { Recording } from "../support/recordings.ts";
import { cutAt, readEvents, readRecording, recordings, SHORT_BYTES_MAX } from "../support/recordings.ts";

/**
 * The long recordings give the same answer whichever byte they are cut at. Reading one from the start for every cut, as
 * is done with the short ones (src/providers/dialect/recordings.test.ts), costs the square of its length, a quarter of
 * an hour for all: `npm run soak -- --splits` does that. Here the same is shown in three steps, each of which is cheap:
 *
 * 1. The reader of events forgets everything at an event's end: each event read alone, by a fresh reader, is what it is
 *    in the whole stream. So a cut within one event is met in the same state whatever came before, and nothing of it is
 *    left after that event.
 * 2. Such a cut, at every byte of every event, gives the same events: shown with its neighbours around it.
 * 3. A dialect sees events, never bytes, and so of a cut only which events came together: those before the event that
 *    was cut, and those from it on. Cutting between any two events makes every such grouping.
 */
const LONG = recordings().filter(({ bytes }) => bytes.length > SHORT_BYTES_MAX);

describe.each(LONG.map((recording) => [recording.name, recording] as const))("%s", (_, recording) => {
  const events = eventsOf(recording);

  test("[PROV-10 R06] is read event by event, each as if there were no other", () => {
    const straight = readEvents([recording.bytes]);
    const alone = events.map((bytes) => readEvents([bytes]));
    expect(alone.flat()).toEqual([...straight]);
  });

  test("[PROV-10 R06] cut at any byte of any event, gives the same events", () => {
    for (const [index, bytes] of events.entries()) {
      const before = events[index - 1] ?? new Uint8Array();
      const window = Buffer.concat([before, bytes, events[index + 1] ?? new Uint8Array()]);
      const straight = readEvents([window]);
      for (let at = before.length; at <= before.length + bytes.length; at++) {
        const cut = readEvents(cutAt(window, at));
        if (!Bun.deepEquals(cut, straight)) expect({ index, at, cut }).toEqual({ index, at, cut: straight });
      }
    }
  });

  test("[PROV-10 R06] cut between any two events, gives the same answer", () => {
    const straight = readRecording(recording, [recording.bytes]);
    for (const at of recording.boundaries) {
      const cut = readRecording(recording, cutAt(recording.bytes, at));
      if (!Bun.deepEquals(cut, straight)) expect({ at, ...cut }).toEqual({ at, ...straight });
    }
  });
});

function eventsOf({ bytes, boundaries }: Recording): readonly Uint8Array[] {
  return boundaries.map((end, index) => bytes.subarray(boundaries[index - 1] ?? 0, end));
}
