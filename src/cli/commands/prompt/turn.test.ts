import { expect, test } from "bun:test";
import { settle } from "../../../../test/support/fake-clock.ts";
import { CLIENT, FakeConnection, fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import { testWorld } from "../../../../test/support/world.ts";
import { Cancelled } from "../../../base/errors.ts";
import type { SubscribeOptions } from "../../../protocol/connection.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
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

/** Keeps the options of each subscription. */
class WatchedConnection extends FakeConnection {
  readonly options: SubscribeOptions[] = [];

  override subscribe(session: typeof SESSION, options: SubscribeOptions): AsyncGenerator<Envelope> {
    this.options.push(options);
    return super.subscribe(session, options);
  }
}

test("[PERF-02] a prompt that shows no delta lets them wait, also when it subscribes again, and another does not", async () => {
  for (const deltasMayWait of [true, false]) {
    const connection = new WatchedConnection();
    connection.answer = () => {
      connection.publish({ kind: "TurnStarted", payload: { turn: 1, originator: CLIENT, inputId: INPUT } });
      return { inputId: INPUT };
    };
    const running = runPromptTurn({
      connection,
      session: SESSION,
      content: [{ type: "text", text: "go" }],
      clock: testWorld().clock,
      signal: new AbortController().signal,
      deltasMayWait,
      async show({ kind }) {
        if (kind === "TurnStarted") connection.breakOff();
        if (kind === "TextDelta")
          connection.publish({ kind: "TurnEnded", payload: { turn: 1, reason: "complete", rounds: 1 } });
      },
    });
    while (connection.options.length < 2) await settle();
    connection.publish({ kind: "TextDelta", payload: { text: "Done" } });
    expect(await running).toMatchObject({ text: "Done", reason: "complete" });
    expect(connection.options.map((each) => each.deltasMayWait ?? false)).toEqual([
      deltasMayWait,
      deltasMayWait,
    ]);
  }
});
