import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { transcriptAfterEvent, withLocalNote } from "./local-notes.ts";
import { streamedSource } from "./streamed-text.ts";
import type { Transcript } from "./transcript.ts";
import { droppedFrom, NEW_TRANSCRIPT } from "./transcript.ts";

const CLIENT = fakeId("cli", 1);
const TS = "2026-01-01T00:00:00.000Z";
const NOTE = { text: "said", tone: "info", ts: TS, title: "/cost" } as const;

function started(turn: number): Event {
  return {
    kind: "TurnStarted",
    payload: { turn, originator: CLIENT, content: [{ type: "text", text: "go" }] },
  } as Event;
}
const text = (piece: string) => ({ kind: "TextDelta", payload: { text: piece } }) as Event;
const ended = (turn: number) => ({ kind: "TurnEnded", payload: { turn, reason: "yield" } }) as Event;

/** Returns what a transcript shows after events and notes. */
function shown(...steps: readonly (Event | "note")[]): readonly string[] {
  let transcript: Transcript = NEW_TRANSCRIPT;
  let id = 0;
  for (const step of steps) {
    if (step === "note") transcript = withLocalNote(transcript, NOTE);
    else {
      id += 1;
      transcript = transcriptAfterEvent(transcript, { id, session: SESSION, ts: TS, ...step } as Envelope);
    }
  }
  const firsts = transcript.segments.map(({ first }) => first);
  expect(firsts).toEqual([...new Set(firsts)].sort((one, two) => one - two));
  return transcript.segments.flatMap(({ items = [] }) =>
    items.map((item) =>
      item.kind === "text" ? streamedSource(item.streamed) : item.kind === "note" ? item.text : item.kind,
    ),
  );
}

test("[CMD-01 TUI-01] a note of this client stays behind the turn that runs, and breaks no text in two", () => {
  expect(shown(started(1), text("one "), "note", text("two"), "note", ended(1))).toEqual([
    ...["prompt", "one two", "end", "said", "said"],
  ]);
});

test("[CMD-01 TUI-01] what begins behind a note is shown behind it", () => {
  expect(shown("note", started(1), text("one"), ended(1), "note", started(2), text("two"))).toEqual([
    ...["said", "prompt", "one", "end", "said", "prompt", "two"],
  ]);
  const renamed = { kind: "LevelChanged", payload: { level: "ReadOnly" } } as Event;
  expect(shown(started(1), ended(1), "note", renamed)).toEqual(["prompt", "end", "said", "level: ReadOnly"]);
});

test("[TUI-10] no note is dropped, as reading the log cannot restore it", () => {
  let transcript = withLocalNote(NEW_TRANSCRIPT, NOTE);
  for (const [at, event] of [started(1), text("long ".repeat(500)), ended(1), started(2)].entries())
    transcript = transcriptAfterEvent(transcript, {
      id: at + 1,
      session: SESSION,
      ts: TS,
      ...event,
    } as Envelope);
  const [note, turn] = droppedFrom(transcript, 4, 10).segments;
  expect([note?.items?.length, turn?.items]).toEqual([1, undefined]);
});
