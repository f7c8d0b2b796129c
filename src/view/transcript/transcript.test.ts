import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { log, transcriptLog } from "../../../test/support/arbitrary-events.ts";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { holds } from "../../../test/support/property.ts";
import type { AskId, CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { TranscriptItem } from "./items.ts";
import type { Transcript } from "./transcript.ts";
import {
  droppedFrom,
  NEW_TRANSCRIPT,
  segmentsOf,
  transcriptAfter,
  transcriptBehind,
  withSegments,
} from "./transcript.ts";

const CLIENT = fakeId("cli", 1);
const CALL = fakeId("call", 1) as CallId;

function fold(events: readonly Envelope[], from = NEW_TRANSCRIPT): Transcript {
  return events.reduce(transcriptAfter, from);
}

function itemsIn({ segments }: Transcript): readonly TranscriptItem[] {
  return segments.flatMap(({ items = [] }) => items);
}

function logOf(...events: readonly Event[]): readonly Envelope[] {
  return events.map(
    (each, at) => ({ id: at + 1, session: SESSION, ts: "2026-01-01T00:00:00.000Z", ...each }) as Envelope,
  );
}

test("[TUI-10 ENG-26] events that are read twice change nothing, and no log is an error", async () => {
  const property = fc.property(log, fc.nat(), (events, from) => {
    const whole = fold(events);
    const again = events.slice(from % (events.length + 1)).filter(({ kind }) => kind !== "ToolCallProgress");
    expect(fold(again, whole)).toBe(whole);
  });
  await holds(property, 300);
});

test("[TUI-10] a transcript that begins behind the end of a turn shows the tail of the whole one", async () => {
  const property = fc.property(transcriptLog, fc.nat(), (events, at) => {
    const ends = events.filter(({ kind, parentCall }) => kind === "TurnEnded" && parentCall === undefined);
    const end = ends[at % Math.max(1, ends.length)];
    if (end === undefined) return;
    const tail = itemsIn(
      fold(
        events.filter(({ id }) => id > end.id),
        transcriptBehind(end.id),
      ),
    );
    expect(tail).toEqual(itemsIn(fold(events)).filter((item) => item.event > end.id));
  });
  await holds(property, 300);
});

test("[TUI-10] segments that were dropped and read back hold the items they had", async () => {
  const property = fc.property(transcriptLog, (events) => {
    const whole = fold(events);
    let transcript = droppedFrom(whole, whole.reached, 0);
    for (const { first, last, items } of transcript.segments) {
      if (items !== undefined) continue;
      const read = segmentsOf(events.filter(({ id }) => id >= first && id <= last));
      transcript = withSegments(transcript, first, read);
    }
    expect(itemsIn(transcript)).toEqual(itemsIn(whole));
  });
  await holds(property, 300);
});

test("[TUI-10] what stays after dropping weighs no more than was asked for, beside what cannot be dropped", async () => {
  const property = fc.property(transcriptLog, fc.nat(5_000), (events, most) => {
    const { segments } = droppedFrom(fold(events), 1, most);
    const kept = segments
      .slice(1, -1)
      .filter(({ items, isChangedLater }) => items !== undefined && isChangedLater !== true);
    expect(kept.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(most);
  });
  await holds(property, 200);
});

test("[TUI-01] questions, answers and cancels are in the text, with the client that gave them", () => {
  const askId = fakeId("ask", 1) as AskId;
  const items = itemsIn(
    fold(
      logOf(
        { kind: "Asked", payload: { askId, about: "orphan", text: "What became of it?" } },
        { kind: "Answered", payload: { askId, answer: "failed", by: CLIENT } },
        { kind: "Asked", payload: { askId, about: "plan", text: "Go?" } },
        { kind: "Answered", payload: { askId, answer: null } },
        { kind: "Cancelled", payload: { turn: 1, by: CLIENT, reason: "x" } },
      ),
    ),
  );
  expect(items.map((item) => (item.kind === "note" ? [item.text, item.by] : []))).toEqual([
    ["asked: What became of it?", undefined],
    ["answered: it failed, or had no effect", CLIENT],
    ["asked: Go?", undefined],
    ["closed without an answer", undefined],
    ["cancelled", CLIENT],
  ]);
});

test("[TUI-01] a call keeps who decided, and the number of changes that could be accepted", () => {
  const hunk = { id: "1", old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, lines: ["-a", "+b"] };
  const question = { callId: CALL, tool: "Edit", args: {}, originator: CLIENT, summary: "x" };
  const [call] = itemsIn(
    fold(
      logOf(
        { kind: "ToolCallStarted", payload: { callId: CALL, tool: "Edit", args: {}, mutating: true } },
        { kind: "PermissionRequested", payload: { ...question, hunks: [hunk, { ...hunk, id: "2" }] } },
        {
          kind: "PermissionAnswered",
          payload: {
            callId: CALL,
            decision: "allow",
            scope: "once",
            by: CLIENT,
            hunks: ["1"],
            counted: true,
          },
        },
      ),
    ),
  );
  expect(call).toMatchObject({
    state: "running",
    hunksAsked: 2,
    decision: { by: CLIENT, decision: "allow", hunks: ["1"] },
  });
});
