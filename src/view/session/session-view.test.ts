import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { fitting } from "../../../test/support/arbitrary.ts";
import { settle } from "../../../test/support/fake-clock.ts";
import { FakeConnection, fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { holds } from "../../../test/support/property.ts";
import { ROOT } from "../../../test/support/source.ts";
import type { CallId, SessionId, TaskId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { CostBook } from "../costs/cost-book.ts";
import { totalCost } from "../costs/session-costs.ts";
import { follow } from "../follow.ts";
import { foldTurn, NEW_TURN, turnResult } from "../turn-result.ts";
import { NEW_SESSION, runOf, sessionAfter } from "./session-view.ts";

const CLIENT = fakeId("cli", 1);
const OTHER: SessionId = fakeId("sess", 2);

const callId = fc.integer({ min: 1, max: 4 }).map((at) => fakeId("call", at) as CallId);
const turn = fc.integer({ min: 1, max: 3 });
const inputId = fc.integer({ min: 1, max: 3 }).map((at) => fakeId("inp", at));
const usd = fc.option(
  fc.integer({ min: 0, max: 9 }).map((tenths) => tenths / 10),
  { nil: null },
);

/** Events that belong together: few ids, so that starts meet their ends. */
const event: fc.Arbitrary<Event> = fc.oneof(
  turn.map((number): Event => ({ kind: "TurnStarted", payload: { turn: number, originator: CLIENT } })),
  fc
    .tuple(
      turn,
      fc.constantFrom("complete", "cancelled", "error") as fc.Arbitrary<"complete" | "cancelled" | "error">,
      fc.nat(3),
    )
    .map(
      ([number, reason, rounds]): Event => ({ kind: "TurnEnded", payload: { turn: number, reason, rounds } }),
    ),
  callId.map(
    (id): Event => ({
      kind: "ToolCallStarted",
      payload: { callId: id, tool: "Bash", args: {}, mutating: true },
    }),
  ),
  fc
    .tuple(callId, fc.string({ unit: "binary", maxLength: 9 }))
    .map(([id, partial]): Event => ({ kind: "ToolCallProgress", payload: { callId: id, partial } })),
  callId.map((id): Event => ({ kind: "ToolResult", payload: { callId: id, content: [] } })),
  inputId.map(
    (id): Event => ({
      kind: "InputQueued",
      payload: { inputId: id, content: [], delivery: "queue", originator: CLIENT },
    }),
  ),
  inputId.map((id): Event => ({ kind: "InputWithdrawn", payload: { inputId: id } })),
  inputId.map((id): Event => custom("InputDelivered", { inputId: id, turn: 1, round: 1 })),
  fc.array(inputId).map((inputIds): Event => custom("InputsWaiting", { inputIds, held: inputIds.slice(1) })),
  fc.boolean().map((active): Event => custom("PlanMode", { active })),
  fc
    .tuple(fc.nat(30), fc.constantFrom("files", "conversation", "both"))
    .map(([to, what]): Event => custom("Rewound", { to, what, undo: to })),
  fc.tuple(fc.nat(2), fc.constantFrom("running", "done") as fc.Arbitrary<"running" | "done">).map(
    ([at, state]): Event => ({
      kind: "TaskChanged",
      payload: { taskId: fakeId("task", at) as TaskId, what: "x", state },
    }),
  ),
  usd.map((price): Event => cost(price)),
  callId.map(
    (id): Event => ({
      kind: "Error",
      payload: { reason: "PermissionDenied", message: "", details: { callId: id } },
    }),
  ),
  fc.tuple(callId, fc.constantFrom("a", "b")).map(
    ([id, rule]): Event => ({
      kind: "PermissionAnswered",
      payload: { callId: id, decision: "allow", scope: "tool", rule, counted: true },
    }),
  ),
  fc.constantFrom("a", "b").map((rule): Event => ({ kind: "RuleRevoked", payload: { rule } })),
  fc.constant<Event>({ kind: "StreamGap", payload: { from: 1, to: 2, reason: "ttl" } }),
);

function custom(kind: string, payload: object): Event {
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind, payload } };
}

function cost(price: number | null): Event {
  const payload = { provider: "mock", model: "one", inputTokens: 1, outputTokens: 1, usd: price };
  return { kind: "CostIncremented", payload };
}

/** A log of two runs, some of its events a sub-agent's. */
const log = fc
  .array(fc.tuple(event, fc.boolean()), { maxLength: 60 })
  .chain((events) => fc.tuple(fc.constant(events), fc.nat(events.length)))
  .map(([events, second]) =>
    events.map(([each, isSubAgents], at): Envelope => {
      const id = at + 1;
      const gap = each.kind === "StreamGap" ? { payload: { ...each.payload, from: id, to: id } } : {};
      return {
        id,
        session: at < second ? SESSION : OTHER,
        ts: "2026-01-01T00:00:00.000Z",
        ...(isSubAgents ? { parentCall: fakeId("call", 1) as CallId } : {}),
        ...each,
        ...gap,
      } as Envelope;
    }),
  );

function clean(events: readonly Envelope[]) {
  return events.reduce(sessionAfter, NEW_SESSION);
}

test("[CTL-03 ENG-26] events that come twice, from readers that start anywhere below, make the same view as one pass", async () => {
  const reads = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 8 });
  const property = fc.property(log, reads, (events, readings) => {
    let view = NEW_SESSION;
    for (const [from, many] of [...readings, [0, events.length] as const]) {
      // A reader starts at or below what was reached, as after a reconnect, and is left somewhere.
      const start = from % (view.reached + 1);
      for (const each of events.slice(start, start + (many % (events.length + 1))))
        view = sessionAfter(view, each);
    }
    for (const each of events.slice(view.reached)) view = sessionAfter(view, each);
    expect(view).toEqual(clean(events));
  });
  await holds(property, 500);
});

test("[CTL-03 CTL-17] two readers of one log, interleaved in any way, make the same view as one pass", async () => {
  const property = fc.property(log, fc.array(fc.boolean()), (events, order) => {
    const [one, other] = [[...events], [...events]];
    let view = NEW_SESSION;
    for (const isOne of order) {
      const next = (isOne ? one : other).shift();
      if (next !== undefined) view = sessionAfter(view, next);
    }
    for (const each of [...other, ...one]) view = sessionAfter(view, each);
    expect(view).toEqual(clean(events));
  });
  await holds(property, 500);
});

test("[CTL-03] a subscription that breaks anywhere and is opened again makes the same view as one pass", async () => {
  const property = fc.asyncProperty(log, fc.array(fc.nat(60), { maxLength: 5 }), async (events, breaks) => {
    const connection = new FakeConnection();
    for (const { kind, payload, session, parentCall } of events)
      connection.publish({ kind, payload } as Event, {
        session,
        ...(parentCall === undefined ? {} : { parentCall }),
      });
    connection.publish({ kind: "SessionEnded", payload: { reason: "user" } });
    let view = NEW_SESSION;
    let seen = 0;
    for await (const each of follow(connection, SESSION, {
      since: 0,
      signal: new AbortController().signal,
    })) {
      view = sessionAfter(view, each);
      seen += 1;
      if (breaks.includes(seen)) connection.breakOff();
    }
    await settle();
    const ended = {
      id: events.length + 1,
      session: SESSION,
      ts: "",
      kind: "SessionEnded",
      payload: { reason: "user" },
    };
    expect(view).toEqual(clean([...events, ended as Envelope]));
  });
  await holds(property, 100);
});

test("[SES-17 CTL-17] what runs, waits for a task or is planned in one run ends with it, and costs and turns go on", () => {
  const events = numbered([
    { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT } },
    {
      kind: "ToolCallStarted",
      payload: { callId: fakeId("call", 1) as CallId, tool: "Bash", args: {}, mutating: true },
    },
    cost(1),
    custom("PlanMode", { active: true }),
  ]);
  const broken = clean(events);
  expect(runOf(broken, SESSION)).toMatchObject({ turn: { number: 1 }, planMode: true });
  expect(runOf(broken, SESSION).calls.size).toBe(1);
  const next = { ...events[0], id: 9, session: OTHER } as Envelope;
  const resumed = sessionAfter(broken, next);
  expect(runOf(resumed, OTHER)).toMatchObject({ turn: { number: 1 }, planMode: false, tasks: [] });
  expect(runOf(resumed, OTHER).calls.size).toBe(0);
  expect(runOf(resumed, SESSION).turn).toBeUndefined();
  expect(resumed.turns.all).toHaveLength(2);
  expect(totalCost(resumed.costs).usd).toBe(1);
});

test("[PROV-11] the view and the cost book come to the same total, and one turn to that of its result", async () => {
  const property = fc.property(log, (events) => {
    const book = new CostBook();
    for (const each of events) book.add(each);
    const { usd: known, ...counted } = totalCost(clean(events).costs);
    const { usd: total, ...calls } = book.costs.total;
    expect(known).toBeCloseTo(total, 9);
    const isOne = events.filter(({ kind, parentCall }) => kind === "TurnStarted" && parentCall === undefined);
    // A sub-agent's turn outside of a turn is nobody's: only its calls differ in what is unknown.
    if (events.every(({ parentCall }) => parentCall === undefined)) expect(counted).toEqual(calls);
    const last = isOne.at(-1);
    if (last === undefined) return;
    const turnOnly = turnResult(events.slice(last.id - 1).reduce(foldTurn, NEW_TURN)).cost;
    expect(clean(events).costs.turn.total).toEqual(turnOnly);
  });
  await holds(property, 500);
});

test("[CTL-14] every event that fits the protocol can be read, whatever stands in it, and leaves the view before as it was", async () => {
  const schema = JSON.parse(readFileSync(join(ROOT, "docs/protocol/events.schema.json"), "utf8"));
  const hostile = fc.array(fitting(schema) as fc.Arbitrary<Envelope>, { maxLength: 20 });
  const property = fc.property(hostile, (events) => {
    let view = NEW_SESSION;
    for (const [at, each] of events.entries()) {
      const before = structuredClone(view);
      const next = sessionAfter(view, { ...each, id: at + 1 });
      expect(view).toEqual(before);
      view = next;
    }
  });
  await holds(property, 100);
}, 120_000);

test("[PERF-03] a long session is kept in bounded memory: old turns are summaries, and ended calls are gone", () => {
  let [view, id] = [NEW_SESSION, 0];
  const add = (each: Event) => {
    id += 1;
    view = sessionAfter(view, { id, session: SESSION, ts: "", ...each } as Envelope);
  };
  const text = "words ".repeat(1_000);
  const sizes: number[] = [];
  for (let number = 1; number <= 3_000; number++) {
    add({
      kind: "TurnStarted",
      payload: { turn: number, originator: CLIENT, content: [{ type: "text", text }] },
    });
    const call = fakeId("call", number % 200) as CallId;
    add({ kind: "ToolCallStarted", payload: { callId: call, tool: "Bash", args: { text }, mutating: true } });
    for (let piece = 0; piece < 3; piece++)
      add({ kind: "ToolCallProgress", payload: { callId: call, partial: text } });
    if (number % 3 > 0)
      add({ kind: "ToolResult", payload: { callId: call, content: [{ type: "text", text }] } });
    add(custom("Rewound", { to: id, what: "conversation" }));
    add({
      kind: "TaskChanged",
      payload: { taskId: fakeId("task", number % 256) as TaskId, what: "x", state: "done" },
    });
    add({
      kind: "PermissionAnswered",
      payload: { callId: call, decision: "allow", scope: "tool", rule: `Bash:${number}`, counted: true },
    });
    add({ kind: "Error", payload: { reason: "PermissionDenied", message: text, details: { callId: call } } });
    add(cost(1));
    add({ kind: "TurnEnded", payload: { turn: number, reason: "complete", rounds: 1 } });
    if (number % 1_000 === 0) sizes.push(JSON.stringify(view).length);
  }
  const [first = 0, , last = 0] = sizes;
  expect(last).toBeLessThan(first * 1.2);
  expect(last).toBeLessThan(300_000);
});

function numbered(events: readonly Event[]): readonly Envelope[] {
  return events.map((each, at) => ({ id: at + 1, session: SESSION, ts: "", ...each }) as Envelope);
}
