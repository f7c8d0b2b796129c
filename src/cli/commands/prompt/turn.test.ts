import { expect, test } from "bun:test";
import { CLIENT, FakeConnection, fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import { testWorld } from "../../../../test/support/world.ts";
import { Cancelled } from "../../../base/errors.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { runPromptTurn } from "./turn.ts";

const INPUT = fakeId("inp", 1);
const QUEUED: Event = {
  kind: "InputQueued",
  payload: { inputId: INPUT, content: [], delivery: "queue", originator: CLIENT },
};

/** Runs a prompt whose input waits for its turn; returns the kinds of the shown events and the outcome. */
async function run(events: readonly Event[]) {
  const connection = new FakeConnection();
  connection.answer = () => {
    for (const event of events) connection.publish(event);
    return { inputId: INPUT };
  };
  const shown: string[] = [];
  const outcome = await runPromptTurn({
    connection,
    session: SESSION,
    content: [{ type: "text", text: "go" }],
    clock: testWorld().clock,
    signal: new AbortController().signal,
    show: async ({ kind }) => void shown.push(kind),
  }).catch((thrown: unknown) => thrown);
  return { shown, outcome };
}

test("[CLI-01 ENG-26] a prompt that is withdrawn before its turn begins is not waited for", async () => {
  const { shown, outcome } = await run([QUEUED, { kind: "InputWithdrawn", payload: { inputId: INPUT } }]);
  expect(shown).toEqual(["InputQueued", "InputWithdrawn"]);
  expect(outcome).toBeInstanceOf(Cancelled);
});

test("[CLI-01 ENG-26] the turn of a prompt is its own, and everything until its end is shown", async () => {
  const { shown, outcome } = await run([
    QUEUED,
    { kind: "TextDelta", payload: { text: "of another turn" } },
    { kind: "TurnEnded", payload: { turn: 1, reason: "complete", rounds: 1 } },
    { kind: "TurnStarted", payload: { turn: 2, originator: CLIENT, inputId: INPUT } },
    { kind: "TextDelta", payload: { text: "Done" } },
    { kind: "TurnEnded", payload: { turn: 2, reason: "complete", rounds: 1 } },
    { kind: "TextDelta", payload: { text: "of a later turn" } },
  ]);
  expect(shown).toHaveLength(6);
  expect(outcome).toMatchObject({ text: "Done", reason: "complete", rounds: 1 });
});
