import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { fitting } from "../../../test/support/arbitrary.ts";
import { settle } from "../../../test/support/fake-clock.ts";
import { FakeConnection, fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { holds } from "../../../test/support/property.ts";
import { ROOT } from "../../../test/support/source.ts";
import type { AskId, CallId, SessionId, TaskId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, EventKind, PayloadOf } from "../../protocol/events/events.ts";
import { EVENT_KINDS } from "../../protocol/kinds.ts";
import { CostBook } from "../costs/cost-book.ts";
import { totalCost } from "../costs/session-costs.ts";
import { followSession } from "../follow.ts";
import { foldTurn, NEW_TURN, turnResult } from "../turn-result.ts";
import { NEW_SESSION, runOf, sessionAfter } from "./session-view.ts";
import { SUB_AGENTS_MAX } from "./sub-agents.ts";

const CLIENT = fakeId("cli", 1);
const OTHER: SessionId = fakeId("sess", 2);

const callId = fc.integer({ min: 1, max: 4 }).map((at) => fakeId("call", at) as CallId);
const turn = fc.integer({ min: 1, max: 3 });
const inputId = fc.integer({ min: 1, max: 3 }).map((at) => fakeId("inp", at));
const usd = fc.option(
  fc.integer({ min: 0, max: 9 }).map((tenths) => tenths / 10),
  { nil: null },
);

const error = fc.constantFrom("complete", "cancelled", "error") as fc.Arbitrary<
  "complete" | "cancelled" | "error"
>;
const askId = fc.integer({ min: 1, max: 3 }).map((at) => fakeId("ask", at) as AskId);
const words = fc.string({ unit: "binary", maxLength: 9 });
const shortList = fc.array(words, { maxLength: 3 });

/** Events that belong together: few ids, so that starts meet their ends. A new kind is a compile error. */
const EVENTS: { readonly [Kind in EventKind]: fc.Arbitrary<PayloadOf<Kind>> } = {
  TextDelta: words.map((text) => ({ text })),
  ThinkingDelta: words.map((text) => ({ block: { type: "thinking", text } })),
  TurnStarted: turn.map((number) => ({ turn: number, originator: CLIENT })),
  TurnEnded: fc.record({ turn, reason: error, rounds: fc.nat(3) }),
  TurnTiming: turn.map((number) => ({ turn: number, components: {} })),
  ToolCallStarted: callId.map((id) => ({ callId: id, tool: "Bash", args: {}, mutating: true })),
  ToolCallProgress: fc.record({ callId, partial: words }),
  ToolResult: callId.map((id) => ({ callId: id, content: [] })),
  CompactionTriggered: fc.nat(9).map((afterTokens) => ({ beforeTokens: 10, afterTokens })),
  CostIncremented: usd.map(costOf),
  PermissionRequested: callId.map((id) => ({
    callId: id,
    tool: "Bash",
    args: {},
    originator: CLIENT,
    summary: "x",
  })),
  PermissionAnswered: fc.record({
    callId,
    decision: fc.constantFrom("allow" as const, "deny" as const),
    scope: fc.constant("tool" as const),
    rule: fc.constantFrom("a", "b"),
    counted: fc.boolean(),
  }),
  Cancelled: turn.map((number) => ({ turn: number, by: "x", reason: "x" })),
  Error: fc.record({
    reason: fc.constantFrom("PermissionDenied", "ProviderFailed"),
    message: words,
    details: callId.map((id) => ({ callId: id })),
  }),
  StreamGap: fc.nat(3).map((to) => ({ from: 1, to, reason: "ttl" })),
  TokenExpiring: fc.constant({ jti: fakeId("tok", 1), expAt: 1 } as PayloadOf<"TokenExpiring">),
  HookTimeout: words.map((command) => ({ event: "PreToolUse", command, after: 1 })),
  HookError: words.map((command) => ({ event: "PreToolUse", command, exit_code: 1 })),
  MCPServerDown: words.map((name) => ({ name, reason: "x", attempts: 1 })),
  SkillRegistryChanged: shortList.map((skills) => ({ skills })),
  SessionEnded: fc.constant({ reason: "idle" }),
  CustomEvent: fc.oneof(
    inputId.map((id) => customOf("InputDelivered", { inputId: id, turn: 1, round: 1 })),
    fc.array(inputId).map((inputIds) => customOf("InputsWaiting", { inputIds, held: inputIds.slice(1) })),
    fc.boolean().map((active) => customOf("PlanMode", { active })),
    shortList.map((names) => customOf("MemoriesGiven", { names })),
    fc
      .tuple(fc.nat(30), fc.constantFrom("files", "conversation", "both"))
      .map(([to, what]) => customOf("Rewound", { to, what, undo: to })),
  ),
  Asked: fc.record({ askId, about: fc.constantFrom("trust" as const, "plan" as const), text: words }),
  Answered: askId.map((id) => ({ askId: id, answer: null })),
  InputQueued: inputId.map((id) => ({ inputId: id, content: [], delivery: "queue", originator: CLIENT })),
  InputWithdrawn: inputId.map((id) => ({ inputId: id })),
  CheckpointMade: shortList.map((notRestorable) => ({ turn: 1, files: 0, notRestorable })),
  TaskChanged: fc.record({
    taskId: fc.nat(2).map((at) => fakeId("task", at) as TaskId),
    what: fc.constant("x"),
    state: fc.constantFrom("running" as const, "done" as const),
  }),
  TodoChanged: shortList.map((items) => ({
    items: items.map((content) => ({ content, status: "pending" as const })),
  })),
  MemoryWritten: fc
    .tuple(words, fc.boolean())
    .map(([name, removed]) => ({ name, type: "user", description: "", removed })),
  ProfileSwitched: fc.constantFrom(
    { from: "a", to: "b", next: OTHER },
    { from: "a", to: "b", previous: SESSION },
  ),
  ModelChanged: fc.constantFrom({ model: "mock:one" }, { model: "mock:two", effort: "high" as const }),
  RuleRevoked: fc.constantFrom("a", "b").map((rule) => ({ rule })),
  RulePromoted: words.map((rule) => ({ rule, profile: "p", path: "/p" })),
};

const event: fc.Arbitrary<Event> = fc.oneof(
  ...EVENT_KINDS.map((kind) =>
    (EVENTS[kind] as fc.Arbitrary<unknown>).map((payload) => ({ kind, payload }) as Event),
  ),
);

function customOf(kind: string, payload: object): PayloadOf<"CustomEvent"> {
  return { namespace: "cinch", kind, payload };
}

function costOf(price: number | null): PayloadOf<"CostIncremented"> {
  return { provider: "mock", model: "one", inputTokens: 1, outputTokens: 1, usd: price };
}

function custom(kind: string, payload: object): Event {
  return { kind: "CustomEvent", payload: customOf(kind, payload) };
}

function cost(price: number | null): Event {
  return { kind: "CostIncremented", payload: costOf(price) };
}

/** A log of two runs, some of its events a sub-agent's. Events that a gap covers are missing. */
const log = fc
  .array(fc.tuple(event, fc.boolean()), { maxLength: 60 })
  .chain((events) => fc.tuple(fc.constant(events), fc.nat(events.length)))
  .map(([events, second]) => {
    let id = 0;
    return events.map(([each, isSubAgents], at): Envelope => {
      id += 1;
      const from = id;
      if (each.kind === "StreamGap") id += each.payload.to;
      const gap = each.kind === "StreamGap" ? { payload: { ...each.payload, from, to: id } } : {};
      return {
        id: from,
        session: at < second ? SESSION : OTHER,
        ts: "2026-01-01T00:00:00.000Z",
        ...(isSubAgents ? { parentCall: fakeId("call", 1) as CallId } : {}),
        ...each,
        ...gap,
      } as Envelope;
    });
  });

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
      const read = events.filter(({ id }) => id > start).slice(0, many % (events.length + 1));
      for (const each of read) view = sessionAfter(view, each);
    }
    for (const each of events.filter(({ id }) => id > view.reached)) view = sessionAfter(view, each);
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
  const goesOn = log.map((events) =>
    events
      .filter(({ kind }) => kind !== "SessionEnded" && kind !== "StreamGap")
      .map((each, at): Envelope => ({ ...each, id: at + 1 })),
  );
  const property = fc.asyncProperty(
    goesOn,
    fc.array(fc.nat(60), { maxLength: 5 }),
    async (events, breaks) => {
      const connection = new FakeConnection();
      for (const { kind, payload, session, parentCall } of events)
        connection.publish({ kind, payload } as Event, {
          session,
          ...(parentCall === undefined ? {} : { parentCall }),
        });
      connection.publish({ kind: "SessionEnded", payload: { reason: "user" } });
      let view = NEW_SESSION;
      let seen = 0;
      for await (const each of followSession(connection, SESSION, {
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
    },
  );
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

test("[CTL-14] failures, lists, questions, sub-agents and changes of a session can be read from its view", () => {
  const [run, inner] = [fakeId("call", 1) as CallId, fakeId("call", 2) as CallId];
  const ask = fakeId("ask", 1) as AskId;
  const view = clean([
    ...numbered([
      { kind: "ModelChanged", payload: { model: "mock:two", effort: "high" } },
      { kind: "ProfileSwitched", payload: { from: "a", to: "b", previous: OTHER } },
      { kind: "TodoChanged", payload: { items: [{ content: "one", status: "pending" }] } },
      { kind: "CompactionTriggered", payload: { beforeTokens: 9, afterTokens: 3, tier: 2 } },
      { kind: "MemoryWritten", payload: { name: "note", type: "user", description: "" } },
      custom("MemoriesGiven", { names: ["note"] }),
      { kind: "CheckpointMade", payload: { turn: 1, files: 0, notRestorable: ["."] } },
      { kind: "SkillRegistryChanged", payload: { skills: ["s"] } },
      { kind: "MCPServerDown", payload: { name: "m\u001b[2J", reason: "gone", attempts: 1 } },
      { kind: "Error", payload: { reason: "FileNotAttached", message: "no", severity: "notice" } },
      { kind: "Asked", payload: { askId: ask, about: "plan", text: "?" } },
      {
        kind: "ToolCallStarted",
        payload: { callId: run, tool: "Agent", args: { prompt: "look" }, mutating: false },
      },
    ]),
    {
      ...child(13, {
        kind: "ToolCallStarted",
        payload: { callId: inner, tool: "Read", args: {}, mutating: false },
      }),
    },
    child(14, cost(2)),
    child(15, { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } }),
  ]);
  expect(view).toMatchObject({
    todos: [{ content: "one" }],
    compaction: { event: 4, count: 1, afterTokens: 3 },
    notRestorable: ["."],
    skills: ["s"],
    notices: [
      { event: 9, kind: "MCPServerDown", isFailure: true },
      { event: 10, kind: "Error", isFailure: false, text: "note: no" },
    ],
    run: {
      model: "mock:two",
      effort: "high",
      profile: "b",
      questions: [{ kind: "asked", ask: { askId: ask } }],
    },
  });
  expect(view.notices[0]?.text).not.toContain("\u001b");
  expect([...view.memories]).toEqual([["note", ["written", "given"]]]);
  const [agent] = runOf(view, SESSION).subAgents.values();
  expect(agent).toMatchObject({
    summary: "Agent look",
    isRunning: false,
    ended: "complete",
    cost: { usd: 2 },
  });
});

function child(id: number, each: Event): Envelope {
  return { id, session: SESSION, ts: "", parentCall: fakeId("call", 1) as CallId, ...each } as Envelope;
}

test("[PERF-03] sub-agents are kept up to a limit, those that run last of all to go", () => {
  const start = (id: number, at: number): Envelope =>
    ({
      ...child(id, { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT } }),
      parentCall: fakeId("call", at),
    }) as Envelope;
  const end = (id: number, at: number): Envelope =>
    ({
      ...child(id, { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } }),
      parentCall: fakeId("call", at),
    }) as Envelope;
  let view = clean([start(1, 1)]);
  for (let at = 2; at <= 255; at++)
    view = [start(at * 2, at), end(at * 2 + 1, at)].reduce(sessionAfter, view);
  const { subAgents } = runOf(view, SESSION);
  expect(subAgents.size).toBe(SUB_AGENTS_MAX);
  expect(subAgents.get(fakeId("call", 1) as CallId)?.isRunning).toBe(true);
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
    const turnOnly = turnResult(events.filter(({ id }) => id >= last.id).reduce(foldTurn, NEW_TURN)).cost;
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
