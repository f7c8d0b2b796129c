import { describe, expect, test } from "bun:test";
import type { Recording } from "../../../test/support/recordings.ts";
import { readRecording, recordings, SHORT_BYTES_MAX } from "../../../test/support/recordings.ts";
import { ProviderError } from "../error.ts";
import type { ModelEvent } from "../provider.ts";

const ALL = recordings();

describe("recorded streams", () => {
  for (const recording of ALL) {
    test(`[PROV-10] ${recording.name} gives the events on record`, async () => {
      const answer = readRecording(recording, [recording.bytes]);
      expect(summary(answer.events, answer.thrown)).toMatchSnapshot();
    });
  }

  const small = ALL.filter(({ bytes }) => bytes.length <= SHORT_BYTES_MAX);

  // The longer ones: test/providers/byte-splits.test.ts.
  test(`[PROV-10 R06] ${small.length} recordings up to 6 KB, cut in two at every byte, give the same events`, async () => {
    for (const recording of small) {
      const offsets = Array.from({ length: recording.bytes.length - 1 }, (_, index) => index + 1);
      await expectSameCut(recording, offsets);
    }
  }, 300_000);

  test("[PROV-10 R06] every recording, one byte at a time, gives the same events", async () => {
    for (const recording of ALL) {
      const straight = readRecording(recording, [recording.bytes]);
      const bytewise = readRecording(
        recording,
        Array.from(recording.bytes, (byte) => Uint8Array.of(byte)),
      );
      expect(bytewise).toEqual(straight);
    }
  }, 300_000);

  test("[PROV-10 R06] line ends of any kind, and a byte order mark, change nothing", async () => {
    for (const recording of ALL) {
      const straight = readRecording(recording, [recording.bytes]);
      const text = new TextDecoder().decode(recording.bytes);
      for (const lineEnd of ["\r\n", "\r"]) {
        const bytes = new TextEncoder().encode(`\u{feff}${text.replaceAll("\n", lineEnd)}`);
        expect(readRecording(recording, [bytes])).toEqual(straight);
      }
    }
  });

  test("[PROV-10 R09] every recording cut after any event ends well or as StreamInterrupted, with no call made up", async () => {
    for (const recording of ALL) {
      const straight = readRecording(recording, [recording.bytes]);
      const calls = callsIn(straight.events);
      // Only some of the cuts of the longest ones: reading each from the start is quadratic.
      const step = Math.ceil(recording.boundaries.length / 150);
      for (const [index, end] of recording.boundaries.entries()) {
        if (index % step !== 0 && index < recording.boundaries.length - 5) continue;
        const cut = readRecording(recording, [recording.bytes.subarray(0, end)]);
        expectTyped(cut.thrown);
        expect(cut.thrown === undefined).toBe(cut.events.at(-1)?.kind === "finish");
        expect(calls).toEqual(expect.arrayContaining(callsIn(cut.events)));
      }
    }
  }, 300_000);

  test("[PROV-10 R09] every recording of a call cut after any byte gives the whole call or none", async () => {
    for (const recording of small.filter(({ bytes }) => bytes.length < 2_600)) {
      const straight = readRecording(recording, [recording.bytes]);
      const calls = callsIn(straight.events);
      if (calls.length === 0) continue;
      for (let end = 0; end < recording.bytes.length; end++) {
        const cut = readRecording(recording, [recording.bytes.subarray(0, end)]);
        expectTyped(cut.thrown);
        expect(calls).toEqual(expect.arrayContaining(callsIn(cut.events)));
      }
    }
  }, 300_000);
});

async function expectSameCut(recording: Recording, offsets: readonly number[]): Promise<void> {
  const straight = readRecording(recording, [recording.bytes]);
  for (const at of offsets) {
    const cut = readRecording(recording, [recording.bytes.subarray(0, at), recording.bytes.subarray(at)]);
    if (!Bun.deepEquals(cut, straight))
      expect({ ...cut, at, in: recording.name }).toEqual({ ...straight, at, in: "" });
  }
}

function expectTyped(thrown: unknown): void {
  if (thrown === undefined) return;
  expect(thrown).toBeInstanceOf(ProviderError);
  // Of an answer that ended before its first byte nobody knows that a model began it.
  const reason = expect.stringMatching(/^Stream(?:Interrupted|Malformed)$/u);
  expect(thrown).toMatchObject({ reason, transient: true });
}

function callsIn(events: readonly ModelEvent[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.kind === "block" && event.block.type === "tool_use" ? [event.block] : [],
  );
}

/** Summarises an answer: texts joined and cut, blocks in order. */
function summary(events: readonly ModelEvent[], thrown: unknown): unknown {
  const joined = (kind: "text" | "thinking") =>
    events.map((event) => (event.kind === kind ? event.text : "")).join("");
  const short = (text: string) =>
    text.length > 160 ? `${text.slice(0, 120)} … ${text.length} characters` : text;
  return {
    text: short(joined("text")),
    thinking: short(joined("thinking")),
    blocks: events.flatMap((event) =>
      event.kind === "block" ? [short(`${event.index} ${JSON.stringify(event.block)}`)] : [],
    ),
    usage: events.findLast((event) => event.kind === "usage"),
    finish: events.findLast((event) => event.kind === "finish"),
    ...(thrown === undefined ? {} : { thrown: String(thrown) }),
  };
}
