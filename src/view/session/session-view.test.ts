import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { fitting } from "../../../test/support/arbitrary.ts";
import { cost, custom, engineLog, log } from "../../../test/support/arbitrary-events.ts";
import { settle } from "../../../test/support/fake-clock.ts";
import { FakeConnection, fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { holds } from "../../../test/support/property.ts";
import { ROOT } from "../../../test/support/source.ts";
import type { AskId, CallId, Id, IdPrefix, SessionId, TaskId } from "../../base/ids.ts";
import { idFromBytes } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event, EventKind, PayloadOf } from "../../protocol/events/events.ts";
import { EVENT_KINDS } from "../../protocol/kinds.ts";
import { NO_COST, sumOfCosts } from "../costs/cost.ts";
import { CostBook } from "../costs/cost-book.ts";
import { totalCost } from "../costs/session-costs.ts";
import { followSession } from "../follow.ts";
import { questionId } from "../questions/questions.ts";
import { foldTurn, NEW_TURN, turnResult } from "../turn-result.ts";
import type { UnknownPart } from "./gaps/gaps.ts";
import { VIEW_CHARACTERS_MAX } from "./limits.ts";
import type { SessionView } from "./session-view.ts";
import { NEW_SESSION, runOf, sessionAfter } from "./session-view.ts";
import { SUB_AGENTS_MAX } from "./sub-agents.ts";

const CLIENT = fakeId("cli", 1);
const OTHER: SessionId = fakeId("sess", 2);

const PERMISSION: PayloadOf<"PermissionRequested"> = {
  callId: fakeId("call", 1) as CallId,
  tool: "Bash",
  args: {},
  originator: CLIENT,
  summary: "x",
};

/** Returns what is open in a view, by part. */
function openIn(view: SessionView) {
  const run = runOf(view, view.run?.session ?? SESSION);
  const running = run.tasks.filter(({ state }) => state === "running");
  const agents = [...run.subAgents].filter(([, { isRunning }]) => isRunning);
  const turns = run.turn === undefined ? [] : [run.turn];
  return {
    turn: turns.map((each) => [each.number, each.isUncertain] as const),
    calls: [...run.calls].map(([id, each]) => [id, each.isUncertain] as const),
    subAgents: agents.map(([id, each]) => [id, each.isUncertain] as const),
    questions: run.questions.map((each) => [questionId(each), each.isUncertain] as const),
    waiting: view.waiting.map((each) => [each.inputId, each.isUncertain] as const),
    tasks: running.map((each) => [each.taskId, each.isUncertain] as const),
    planMode: run.planMode ? [["plan", undefined] as const] : [],
  } satisfies Record<UnknownPart, readonly (readonly [string | number, true | undefined])[]>;
}

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

test("[CTL-14] whatever a gap covers, what stays open for certain is open, and a part that may lack an entry is unknown", async () => {
  const property = fc.property(
    engineLog,
    fc.array(fc.tuple(fc.nat(), fc.nat(12)), { minLength: 1, maxLength: 3 }),
    (events, gaps) => {
      let [whole, gapped] = [NEW_SESSION, NEW_SESSION];
      const ranges = gaps.map(([from, length]) => {
        const start = 1 + (from % (events.length + 1));
        return { from: start, to: Math.min(events.length, start + length) };
      });
      const isMissed = (id: number) => ranges.some(({ from, to }) => id >= from && id <= to);
      for (const each of events) {
        whole = sessionAfter(whole, each);
        if (!isMissed(each.id)) gapped = sessionAfter(gapped, each);
        else if (!isMissed(each.id + 1)) gapped = sessionAfter(gapped, gapUpTo(each));
        if (gapped.reached < whole.reached) continue;
        const [open, seen] = [openIn(whole), openIn(gapped)];
        for (const part of Object.keys(open) as UnknownPart[]) {
          const ids = open[part].map(([id]) => id);
          const isUnknown = gapped.missed?.unknown.includes(part) === true;
          const certain = seen[part].flatMap(([id, isUncertain]) => (isUncertain ? [] : [id]));
          const listed = seen[part].map(([id]) => id);
          if (part === "planMode" && isUnknown) continue;
          expect([part, certain.filter((id) => !ids.includes(id))]).toEqual([part, []]);
          if (!isUnknown) expect([part, ids.filter((id) => !listed.includes(id))]).toEqual([part, []]);
        }
      }
    },
  );
  await holds(property, 1_000);
});

function gapUpTo({ id, ts }: Envelope): Envelope {
  return { id, session: OTHER, ts, kind: "StreamGap", payload: { from: 1, to: id, reason: "ttl" } };
}

test("[CTL-14] the next turn closes what was open before a gap, and says so of a turn and inputs that wait", () => {
  const callId = fakeId("call", 1) as CallId;
  const inputId = fakeId("inp", 1) as PayloadOf<"InputQueued">["inputId"];
  const before = numbered([
    { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT } },
    { kind: "ToolCallStarted", payload: { callId, tool: "Bash", args: {}, mutating: true } },
    { kind: "PermissionRequested", payload: PERMISSION },
    { kind: "InputQueued", payload: { inputId, content: [], delivery: "queue", originator: CLIENT } },
  ]);
  const gap = { ...gapUpTo({ ...before[0], id: 9_000 } as Envelope), session: SESSION };
  const after = clean([...before, gap]);
  expect(after.missed).toMatchObject({ upTo: 9_000 });
  expect(openIn(after)).toMatchObject({
    turn: [[1, true]],
    calls: [[callId, true]],
    questions: [[callId, true]],
    waiting: [[inputId, true]],
  });
  const rest = numbered([
    { kind: "TextDelta", payload: { text: "x" } },
    { kind: "TurnStarted", payload: { turn: 2, originator: CLIENT } },
  ]).map((each) => ({ ...each, id: each.id + 9_000 }) as Envelope);
  const next = rest.reduce(sessionAfter, after);
  expect(openIn(next)).toMatchObject({ turn: [[2, undefined]], calls: [], questions: [], waiting: [] });
  expect(next.missed?.unknown).toEqual(["questions", "tasks", "planMode"]);
});

test("[SES-17 CTL-17] what runs, waits for a task or is planned in one run ends with it, and costs and turns continue", () => {
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

test("[CTL-19] a summary that is being written is shown until it ends, or the turn does", () => {
  const progress = (state: "started" | "ended"): Event => ({
    kind: "CompactionProgress",
    payload: { state, beforeTokens: 90_000, trigger: "threshold", timeoutMs: 120_000 },
  });
  const turn: Event = { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT } };
  const end: Event = { kind: "TurnEnded", payload: { turn: 1, reason: "cancelled" } };
  const shownAfter = (...events: Event[]) => runOf(clean(numbered(events)), SESSION).compacting;
  expect(shownAfter(turn, progress("started"))).toMatchObject({ event: 2, timeoutMs: 120_000 });
  expect(shownAfter(turn, progress("started"), progress("ended"))).toBeUndefined();
  expect(shownAfter(turn, progress("started"), end)).toBeUndefined();
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
  for (let at = 1; at <= 255; at++)
    view = sessionAfter(view, { ...child(600 + at, cost(1)), parentCall: fakeId("call", at) } as Envelope);
  expect(view.costs.turn.calls.size).toBe(SUB_AGENTS_MAX);
  expect(subAgents.get(fakeId("call", 1) as CallId)?.isRunning).toBe(true);
});

test("[PROV-11] the view and the cost book come to the same total, and one turn to that of its result", async () => {
  const property = fc.property(log, (events) => {
    const book = new CostBook();
    for (const each of events) book.add(each);
    const { total, by } = book.costs;
    expect(total).toEqual(totalCost(clean(events).costs));
    for (const rows of Object.values(by)) {
      const sum = rows.values().reduce(sumOfCosts, NO_COST);
      expect({ ...sum, usd: 0 }).toEqual({ ...total, usd: 0 });
      expect(sum.usd).toBeCloseTo(total.usd, 9);
    }
    const isOne = events.filter(({ kind, parentCall }) => kind === "TurnStarted" && parentCall === undefined);
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

/** The same identifier for the same number, of which there are 65,536. */
function wideId<Prefix extends IdPrefix>(prefix: Prefix, number: number): Id<Prefix> {
  const bytes = new Uint8Array(16);
  bytes.set([number >> 8, number & 255], 14);
  return idFromBytes(prefix, bytes);
}

/** Events whose texts are as long as a hostile stream can make them; ids stay ids, and each entry is a new one. */
function flood(kind: EventKind, at: number): Event {
  const long = FLOOD[kind === "InputQueued" || kind === "PermissionRequested" ? "huge" : "long"];
  const callId = wideId("call", at % 4_000) as CallId;
  const text = `${at} ${long}`;
  switch (kind) {
    case "ToolCallStarted":
      return { kind, payload: { callId, tool: text, args: { [text]: [text, { text }] }, mutating: true } };
    case "ToolCallProgress":
      return { kind, payload: { callId, partial: text } };
    case "InputQueued": {
      const content = [{ type: "text" as const, text }];
      return {
        kind,
        payload: { inputId: wideId("inp", at), content, delivery: "queue", originator: CLIENT },
      };
    }
    case "PermissionRequested":
      return {
        kind,
        payload: {
          callId,
          tool: "Bash",
          args: { text },
          originator: CLIENT,
          summary: "x",
          diff: text,
          ...(at % 2 === 0 ? { rule: text } : {}),
        },
      };
    case "Asked":
      return {
        kind,
        payload: { askId: wideId("ask", at), about: "trust", text: "?", details: { [text]: text } },
      };
    case "TaskChanged":
      return {
        kind,
        payload: { taskId: wideId("task", at) as TaskId, what: text, detail: text, state: "running" },
      };
    case "PermissionAnswered":
      return {
        kind,
        payload: {
          callId: wideId("call", 60_000),
          decision: "allow",
          scope: "tool",
          rule: text,
          counted: true,
        },
      };
    case "MemoryWritten":
      return { kind, payload: { name: text, type: "user", description: text } };
    case "TodoChanged":
      return {
        kind,
        payload: {
          items: Array.from({ length: 2_000 }, () => ({
            content: text,
            activeForm: text,
            status: "pending",
          })),
        },
      };
    case "SkillRegistryChanged":
      return { kind, payload: { skills: Array.from({ length: 2_000 }, () => text) } };
    case "CheckpointMade":
      return {
        kind,
        payload: { turn: 1, files: 1, notRestorable: Array.from({ length: 2_000 }, () => text) },
      };
    case "Error":
      return { kind, payload: { reason: "PermissionDenied", message: text, details: { callId: text } } };
    case "ModelChanged":
      return { kind, payload: { model: text, effort: "high" } };
    case "ProfileSwitched":
      return { kind, payload: { from: text, to: text } };
    case "CustomEvent":
      return custom("MemoriesGiven", { names: [text] });
    case "TurnStarted":
      return { kind, payload: { turn: 1, originator: CLIENT, content: [{ type: "text", text }] } };
    default:
      return cost(1);
  }
}

const ENDS: ReadonlySet<EventKind> = new Set(["TurnEnded", "SessionEnded", "StreamGap"] as const);
const WHOLE_LISTS: ReadonlySet<EventKind> = new Set([
  "TodoChanged",
  "SkillRegistryChanged",
  "CheckpointMade",
] as const);
const FLOOD = { long: "x".repeat(20_000), huge: "x".repeat(1_000_000) };

test("[PERF-03 CTL-14] no stream makes a view larger than its limit, and what was left out is counted", () => {
  let [view, id] = [NEW_SESSION, 0];
  const add = (each: Event, parentCall?: CallId) => {
    id += 1;
    const frame = { id, session: SESSION, ts: "", ...(parentCall === undefined ? {} : { parentCall }) };
    view = sessionAfter(view, { ...frame, ...each } as Envelope);
  };
  // Half of the costs are those of sub-agents, each of another one.
  for (let at = 1; at <= 1_200; at++)
    for (const kind of EVENT_KINDS)
      if (!ENDS.has(kind) && (!WHOLE_LISTS.has(kind) || at % 400 === 0)) add(flood(kind, at));
  for (let at = 0; at < 3_000; at++) add(cost(1), wideId("call", at) as CallId);
  expect(sizeOf(view)).toBeLessThan(VIEW_CHARACTERS_MAX);
  const { waiting = 0, questions = 0, tasks = 0, calls = 0, rules = 0 } = view.leftOut;
  for (const each of [waiting, questions, tasks, calls, rules]) expect(each).toBeGreaterThan(0);
  expect(waiting + view.waiting.length).toBe(1_200);
  const run = runOf(view, SESSION);
  expect(tasks + run.tasks.length).toBe(1_200);
  expect(calls + run.calls.size).toBe(1_200);
  expect(questions + run.questions.length).toBe(2_400);
  expect(run.questions.some(({ leftOut = 0 }) => leftOut > 900_000)).toBe(true);
  const [call] = run.calls.values();
  expect(call?.argsLeftOut).toBeGreaterThan(10_000);
}, 60_000);

test("[CTL-14] an open question, a call and a waiting input of usual size are in the view as they were sent", () => {
  const text = "x".repeat(3_000);
  const content = [{ type: "text" as const, text }];
  const asks = { ...PERMISSION, args: { text }, diff: text.repeat(50) };
  const view = clean(
    numbered([
      {
        kind: "ToolCallStarted",
        payload: { callId: PERMISSION.callId, tool: "Bash", args: { text }, mutating: true },
      },
      { kind: "PermissionRequested", payload: asks },
      {
        kind: "InputQueued",
        payload: { inputId: wideId("inp", 1), content, delivery: "queue", originator: CLIENT },
      },
    ]),
  );
  expect(view.run?.questions).toEqual([{ kind: "permission", request: asks }]);
  expect(view.run?.calls.get(PERMISSION.callId)).toEqual({ tool: "Bash", args: { text }, output: "" });
  expect(view.waiting[0]?.content).toEqual(content);
  expect(view.leftOut).toEqual({});
});

/** Characters of a value as JSON, with the entries of its maps. */
function sizeOf(value: unknown): number {
  return JSON.stringify(value, (_, each) => (each instanceof Map ? [...each] : each)).length;
}

function numbered(events: readonly Event[]): readonly Envelope[] {
  return events.map((each, at) => ({ id: at + 1, session: SESSION, ts: "", ...each }) as Envelope);
}

test("[AUTH-03 TUI-10] a code for a token, which is asked beside the log, is an open question until it is closed", () => {
  const askId = fakeId("ask", 7) as AskId;
  const choices = [{ value: "close", label: "close" }];
  const ask = { askId, about: "token-code", text: "the code is 123456", choices } as const;
  const [beside, started] = [{ session: SESSION, id: 1, ts: "", aside: true } as const, fakeId("cli", 3)];
  const turn = { kind: "TurnStarted", payload: { turn: 1, originator: started } };
  const end = { kind: "TurnEnded", payload: { turn: 1, reason: "complete" } };
  const events = [
    { session: SESSION, id: 1, ts: "", ...turn },
    { ...beside, kind: "Asked", payload: ask },
    { session: SESSION, id: 2, ts: "", ...end },
  ] as unknown as readonly Envelope[];
  const view = clean(events);
  expect(view.run?.questions.map(questionId)).toEqual([askId]);
  const closed = { ...beside, kind: "Answered", payload: { askId, answer: null } } as unknown as Envelope;
  expect(sessionAfter(view, closed).run?.questions).toEqual([]);
});
