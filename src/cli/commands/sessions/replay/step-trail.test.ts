import { expect, test } from "bun:test";
import { CLIENT, SESSION } from "../../../../../test/support/fake-connection.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { STEPS_BACK_MAX, StepTrail, TURNS_NOTED_MAX } from "./step-trail.ts";

function turnStart(turn: number): Envelope {
  const payload = { turn, originator: CLIENT };
  return { id: turn * 10, session: SESSION, ts: "", kind: "TurnStarted", payload };
}

test("[SES-09] a step back leads to the event shown before, a turn back to its start, then to the turn before", () => {
  const trail = new StepTrail();
  expect([trail.before, trail.turnBefore]).toEqual([1, 1]);
  for (const turn of [1, 2]) {
    trail.noteTurn(turnStart(turn));
    for (const step of [0, 1]) trail.noteStep(turn * 10 + step);
  }
  expect([trail.before, trail.turnBefore, trail.newestTurn]).toEqual([20, 20, 2]);
  trail.cutAfter(20);
  expect([trail.before, trail.turnBefore]).toEqual([11, 10]);
  trail.cutAfter(19);
  expect([trail.before, trail.turnBefore, trail.turn(2)]).toEqual([10, 10, undefined]);
});

test("[PERF-03 SES-09] of a long replay the newest steps and turns are remembered, and one knows what is forgotten", () => {
  const trail = new StepTrail();
  for (let turn = 1; turn <= STEPS_BACK_MAX + 2; turn++) {
    trail.noteTurn(turnStart(turn));
    trail.noteStep(turn * 10);
  }
  expect(trail.turn(STEPS_BACK_MAX + 2 - TURNS_NOTED_MAX)).toBeUndefined();
  expect(trail.turn(STEPS_BACK_MAX + 3 - TURNS_NOTED_MAX)).toBeDefined();
  trail.cutAfter(40);
  expect(trail.before).toBe(30);
  trail.cutAfter(30);
  expect(trail.before).toBeUndefined();
});

test("[SES-09] the start of a forgotten turn is unknown, not the first event", () => {
  const trail = new StepTrail();
  for (let turn = 1; turn <= TURNS_NOTED_MAX + 500; turn++) trail.noteTurn(turnStart(turn));
  trail.cutAfter(999);
  trail.noteTurn(turnStart(100));
  trail.noteStep(1000);
  expect(trail.turnBefore).toBeUndefined();
  trail.noteStep(1001);
  expect(trail.turnBefore).toBe(1000);
});
