import { expect, test } from "bun:test";
import { CLIENT, SESSION } from "../../../../test/support/fake-connection.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { ShownLog } from "./shown-log.ts";

const TEXT = "x".repeat(100_000);
const TURNS = 60;

/** A prompt, its answer and its end. */
function turn(number: number): readonly Envelope[] {
  const first = 3 * (number - 1) + 1;
  const content = [{ type: "text", text: `prompt ${number}` }];
  return [
    { kind: "TurnStarted", payload: { turn: number, originator: CLIENT, content } },
    { kind: "TextDelta", payload: { text: TEXT } },
    { kind: "TurnEnded", payload: { turn: number, reason: "complete" } },
  ].map((event, at) => ({
    id: first + at,
    session: SESSION,
    ts: "2026-01-01T00:00:00.000Z",
    ...event,
  })) as unknown as readonly Envelope[];
}

function addTurns(log: ShownLog): void {
  for (let number = 1; number <= TURNS; number += 1) for (const each of turn(number)) log.add(each);
}

function isKept(log: ShownLog, event: number): boolean {
  const part = log.transcript.segments.find(({ first, last }) => first <= event && event <= last);
  return part?.items !== undefined;
}

test("[TUI-10 complaint 8] of a long transcript the parts far from the window are dropped, and its view stays whole", () => {
  const log = new ShownLog();
  addTurns(log);
  expect([isKept(log, 1), isKept(log, 3 * TURNS)]).toEqual([false, true]);
  expect(log.view.turns.all).toHaveLength(TURNS);
  const read = new ShownLog();
  read.setViewport(1);
  addTurns(read);
  expect([isKept(read, 1), isKept(read, 3 * TURNS)]).toEqual([true, true]);
});

test("[TUI-10] facts of events that were not read change the view alone", () => {
  const log = new ShownLog();
  for (const each of turn(1)) log.add(each);
  const { transcript } = log;
  log.complete((view) => ({ ...view, title: "A title" }));
  expect([log.view.title, log.transcript === transcript]).toEqual(["A title", true]);
});
