import { expect, test } from "bun:test";
import { CLIENT, FakeConnection, fakeId, LOG, SESSION } from "../../../../test/support/fake-connection.ts";
import { until } from "../../../../test/support/until.ts";
import { nextTurn } from "../../../base/async/next-turn.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { CallId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import { PAGE_EVENTS } from "../../../view/transcript/pages.ts";
import type { OpenSession, ReachedByTerminal, WhichSession } from "../options.ts";
import { SessionFollower } from "./session-follower.ts";

const PAST = 6_000;

interface Rig extends Disposable {
  /** Sessions that were deleted: they cannot be opened. */
  readonly deleted: Set<string>;
  /** Models that cannot be used; undefined: there is no default. */
  readonly noModel: Set<string | undefined>;
  readonly store: SessionFollower;
  readonly connection: FakeConnection;
  readonly refused: unknown[];
  readonly ended: unknown[];
  /** Sessions that were opened since the start. */
  readonly opened: WhichSession[];
  readonly changed: Envelope[];
}

const NO_MODEL = { problem: "is set up", variables: "A_KEY", servers: "none" };

/** A store that shows a session with the given events and answers. */
function openRig(
  events: readonly Event[],
  answers: Readonly<Record<string, unknown>>,
  { history = false } = {},
): Rig {
  const connection = new FakeConnection();
  for (const each of events) connection.publish(each);
  connection.reply = ({ kind }) => {
    const answer = answers[kind];
    if (answer === undefined) throw new HarnessError("UnknownResource", { what: "answer", name: kind });
    return answer;
  };
  const leave = new AbortController();
  const [refused, ended, changed]: [unknown[], unknown[], Envelope[]] = [[], [], []];
  const opened: WhichSession[] = [];
  const deleted = new Set<string>();
  const noModel = new Set<string | undefined>();
  const named: OpenSession = {
    session: SESSION,
    log: LOG,
    profile: "p",
    model: "m:n",
    past: events.length,
    history,
    notices: [],
  };
  const reached: ReachedByTerminal = {
    connection,
    named,
    async open(which) {
      opened.push(which);
      if (which.kind === "new" && noModel.has(which.model)) throw new HarnessError("NoModel", NO_MODEL);
      if (which.kind === "stored" && deleted.has(which.info.session))
        throw new HarnessError("NoSuchSession", { id: which.info.session, hint: "" });
      return named;
    },
  };
  const store = new SessionFollower({
    engine: Promise.resolve(reached),
    signal: leave.signal,
    changed: (envelope) => void changed.push(envelope),
    opened: () => undefined,
    completed: () => undefined,
    ended: (failure) => void ended.push(failure),
    refused: (failure) => void refused.push(failure),
    say: () => undefined,
  });
  const lists = { refused, ended, opened, deleted, noModel, changed };
  return { store, connection, ...lists, [Symbol.dispose]: () => leave.abort() };
}

function cost(usd: number): Event {
  const tokens = { inputTokens: 1, outputTokens: 1 };
  return { kind: "CostIncremented", payload: { provider: "m", model: "n", usd, ...tokens } } as Event;
}

/** Turns of ten events each: a prompt, calls with their results, a cost and an end. */
function turns(count: number): readonly Event[] {
  return Array.from({ length: count }, (_, at): readonly Event[] => {
    const turn = at + 1;
    const content = [{ type: "text" as const, text: `prompt ${turn}` }];
    const calls = [1, 2, 3].flatMap((call) => {
      const callId = fakeId("call", 10 * turn + call) as CallId;
      return [
        { kind: "ToolCallStarted", payload: { callId, tool: "Read", args: {}, mutating: false } },
        { kind: "ToolResult", payload: { callId, content: [] } },
      ] as readonly Event[];
    });
    return [
      { kind: "TurnStarted", payload: { turn, originator: CLIENT, content } } as Event,
      ...calls,
      cost(1),
      { kind: "TextDelta", payload: { text: "done" } } as Event,
      { kind: "TurnEnded", payload: { turn, reason: "complete" } } as Event,
    ];
  }).flat();
}

const INFO = {
  state: "idle",
  title: "A title",
  renamed: true,
  cost_usd: 600,
  level: "ReadOnly",
  plan_mode: true,
};
const TURN_ROW = { turn: 499, first_event: 4_981, last_event: 4_990, prompt: "prompt 499" };
const ANSWERS = {
  GetSession: INFO,
  ListRules: { rules: [{ rule: "Bash:ls", source: "session" }] },
  ListTurns: { turns: [TURN_ROW, { ...TURN_ROW, turn: 500, first_event: 4_991, prompt: "prompt 500" }] },
  ListItems: { items: [{ kind: "todos", event: 7 }] },
  GetItem: { events: [{ kind: "TodoChanged", payload: { items: [{ content: "buy", status: "pending" }] } }] },
  ListTasks: { tasks: [{ task: "task_1", what: "a build", state: "running" }] },
};

test("[TUI-10 complaint 8] of a long log the last page is read, and queries have what only earlier events say", async () => {
  using rig = openRig(turns(PAST / 10), ANSWERS);
  const { store, connection } = rig;
  await store.reach();
  await until("the tasks are known", () => (store.view.run?.tasks.length ?? 0) > 0);
  expect(connection.subscriptions).toEqual([PAST - PAGE_EVENTS]);
  expect(rig.changed).toHaveLength(PAGE_EVENTS);
  const { view, transcript } = store;
  expect(transcript.segments[0]).toEqual({ first: 1, last: PAST - PAGE_EVENTS, weight: 0 });
  expect(view).toMatchObject({ title: "A title", todos: [{ content: "buy" }] });
  expect(view.run).toMatchObject({ planMode: true, level: "ReadOnly", rules: ["Bash:ls"] });
  expect([view.costs.turn.total.usd, totalCost(view.costs).usd]).toEqual([1, 600]);
  expect(view.turns.all.slice(0, 3).map(({ turn, words, before }) => [turn, words, before])).toEqual([
    [499, "prompt 499", 0],
    [500, "prompt 500", 4_981],
    [501, "prompt 501", 4_991],
  ]);
  connection.publish(cost(2));
  await until("the next event is read", () => totalCost(store.view.costs).usd === 602);
  expect([rig.ended, rig.refused]).toEqual([[], []]);
});

test("[TUI-10 SES-06] a session whose run is over is continued by the next message, once", async () => {
  const end = { kind: "SessionEnded", payload: { reason: "client" } } as unknown as Event;
  using rig = openRig([...turns(1), end], ANSWERS);
  const { store, ended, opened } = rig;
  await store.reach();
  await until("the end is read", () => ended.length === 1);
  expect(opened).toEqual([]);
  const [one, other] = await Promise.all([store.session(), store.session()]);
  expect(one).toBe(other);
  expect(opened).toEqual([{ kind: "stored", info: { session: SESSION } }]);
});

test.each([false, true])(
  "[TUI-10 CTL-11] a session that was removed unused gives way to a new one with the next message and its model, also if another client has begun it (%p); a used one that was deleted does not",
  async (history) => {
    const end = { kind: "SessionEnded", payload: { reason: "idle" } } as unknown as Event;
    for (const events of [[end], [...turns(1), end]]) {
      using rig = openRig(events, ANSWERS, { history });
      const { store, ended, opened, deleted } = rig;
      await store.reach();
      await until("the end is read", () => ended.length === 1);
      deleted.add(SESSION);
      const stored = { kind: "stored", info: { session: SESSION } } as const;
      const begun = await Promise.allSettled([store.session(), store.session()]);
      const isUnused = events.length === 1;
      expect(begun.map(({ status }) => status)).toEqual(Array(2).fill(isUnused ? "fulfilled" : "rejected"));
      expect(opened).toEqual(isUnused ? [stored, { kind: "new", model: "m:n" }] : [stored]);
    }
  },
);

test("[TUI-06 CTL-11] without a default model, another session has the model of the one that is shown", async () => {
  using rig = openRig(turns(1), ANSWERS);
  const { store, opened, noModel, refused } = rig;
  await store.reach();
  noModel.add(undefined);
  await store.goTo({ kind: "new" });
  expect([opened.splice(0), refused]).toEqual([[{ kind: "new" }, { kind: "new", model: "m:n" }], []]);
  noModel.add("m:n");
  await store.goTo({ kind: "new" });
  expect([opened.length, refused.length]).toEqual([2, 1]);
});

test("[TUI-10 CTL-11] the end of an earlier run is no line of a session that continues; that of its last run is, with what to do", async () => {
  const end = (reason: string, session = SESSION) =>
    ({ kind: "SessionEnded", payload: { reason }, session }) as unknown as Event;
  const earlier = end("binary-shutdown", fakeId("sess", 2));
  using rig = openRig([...turns(1), earlier, ...turns(1), end("user")], ANSWERS);
  const { store, ended } = rig;
  await store.reach();
  await until("the end is read", () => ended.length === 1);
  const notes = store.transcript.segments.flatMap(({ items = [] }) =>
    items.flatMap((item) => (item.kind === "note" ? [item.text] : [])),
  );
  expect(notes).toEqual(["the session has ended (user): your next message continues it"]);
});

test("[TUI-10] a page is read back once, and a refused one again only after the person has scrolled", async () => {
  using rig = openRig(turns(PAST / 10), ANSWERS);
  const { store, connection } = rig;
  await store.reach();
  await until("the last page is read", () => store.transcript.reached === PAST);
  await Promise.all([store.readBack(1, "end"), store.readBack(1, "end")]);
  expect(connection.subscriptions).toEqual([5_000, 4_000]);
  expect(store.transcript.segments[0]).toMatchObject({ first: 1, last: 4_000 });
  expect(store.transcript.segments[1]?.items?.[0]).toMatchObject({ kind: "prompt", turn: 401 });
  const subscribe = connection.subscribe.bind(connection);
  connection.subscribe = () => {
    throw new HarnessError("UnknownResource", { what: "page", name: "x" });
  };
  for (let frame = 0; frame < 3; frame += 1) await store.readBack(1, "start");
  expect(rig.refused).toHaveLength(1);
  connection.subscribe = subscribe;
  store.setViewport(4_500);
  await store.readBack(1, "start");
  expect(store.transcript.segments[0]).toMatchObject({ first: 1, turn: 1 });
});

test("[TUI-10] a turn that has run for longer than the last page is known with its start and its cost", async () => {
  const callId = (at: number) => fakeId("call", at) as CallId;
  const content = [{ type: "text" as const, text: "go on" }];
  const started = { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT, content } } as Event;
  const work = Array.from({ length: 2_000 }, (_, at) => [
    { kind: "ToolCallStarted", payload: { callId: callId(at), tool: "Read", args: {}, mutating: false } },
    { kind: "ToolResult", payload: { callId: callId(at), content: [] } },
  ]).flat() as readonly Event[];
  const envelope = { id: 1, session: SESSION, ts: "2026-01-01T00:00:00.000Z", ...started };
  using rig = openRig([started, ...work], {
    GetSession: { state: "running", title: "go on", cost_usd: 7 },
    ListTurns: { turns: [{ ...TURN_ROW, turn: 1, first_event: 1, running: true, cost_usd: 7 }] },
    GetItem: { events: [envelope] },
  });
  const { store } = rig;
  await store.reach();
  await until("the last page is read", () => store.view.reached === 4_001);
  expect(rig.changed[0]).toEqual(envelope as Envelope);
  expect(store.view.run?.turn).toEqual({ number: 1, originator: CLIENT });
  expect(store.view.costs.turn.total.usd).toBe(7);
  const [missing, first] = store.transcript.segments;
  expect(missing).toMatchObject({ first: 1, last: 3_001 });
  expect(first?.items?.[0]).toMatchObject({ kind: "call", event: 3_002, state: "done" });
});

test("[ENG-26 bar Queue TUI-10] an input that waits since before the last page is read, and shown in the queue", async () => {
  const content = [{ type: "text" as const, text: "an old message" }];
  const queued = { inputId: fakeId("inp", 1), content, delivery: "queue", originator: CLIENT };
  const events = turns(PAST / 10).with(1_000, { kind: "InputQueued", payload: queued } as Event);
  const info = { ...INFO, queued: 1, queued_since: 1_000 };
  using rig = openRig(events, { ...ANSWERS, GetSession: info });
  const { store, connection } = rig;
  await store.reach();
  await until("the log is read", () => store.view.reached === PAST);
  expect(connection.subscriptions).toEqual([1_000]);
  expect(store.view.waiting.map(({ inputId }) => inputId)).toEqual([queued.inputId as never]);
  expect(store.view.leftOut.waiting).toBeUndefined();
});

test("[TOOL-05 TUI-10] a sub-agent that began before the last page is shown with its call, its newest steps and the number of older ones", async () => {
  const parent = fakeId("call", 1) as CallId;
  const content = [{ type: "text" as const, text: "ask it" }];
  const head: readonly Event[] = [
    { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT, content } } as Event,
    {
      kind: "ToolCallStarted",
      payload: { callId: parent, tool: "Agent", args: {}, mutating: false },
    } as Event,
  ];
  const steps = Array.from({ length: 2_000 }, (_, at) => {
    const callId = fakeId("call", 10 + at) as CallId;
    const started = { kind: "ToolCallStarted", payload: { callId, tool: "Read", args: {}, mutating: false } };
    return [started, { kind: "ToolResult", payload: { callId, content: [] } }];
  }).flat();
  const envelope = { id: 2, session: SESSION, ts: "2026-01-01T00:00:00.000Z", ...head[1] };
  const events = [...head, ...steps.map((each) => ({ ...each, parentCall: parent }) as unknown as Event)];
  using rig = openRig(events, {
    GetSession: { state: "running", title: "ask it", cost_usd: 0 },
    ListTurns: { turns: [{ ...TURN_ROW, turn: 1, first_event: 1, running: true, cost_usd: 0 }] },
    ListItems: { items: [{ kind: "call", event: 2, call: parent, children: 2_000 }] },
    GetItem: { events: [envelope] },
  });
  const { store, connection } = rig;
  await store.reach();
  await until("the last page is read", () => store.view.reached === 4_002);
  const [above, call, below] = store.transcript.segments;
  expect([above, below]).toMatchObject([
    { first: 1, last: 1 },
    { first: 3, last: 3_002 },
  ]);
  const [item] = call?.items ?? [];
  expect(item).toMatchObject({ kind: "call", event: 2, state: "running" });
  if (item?.kind !== "call") throw new TypeError("no call is shown");
  expect([item.items.length, (item.itemsLeftOut ?? 0) + item.items.length]).toEqual([200, 2_000]);
  connection.publish({ kind: "ToolResult", payload: { callId: parent, content: [] } } as Event);
  await until("it has ended", () => store.view.reached === 4_003);
  expect(store.transcript.segments[1]?.items?.[0]).toMatchObject({ state: "done" });
});

test("[TUI-09 TUI-10] keys and frames have their turn while the end of a long session is added, and nothing is read back", async () => {
  using rig = openRig(turns(PAST / 10), ANSWERS);
  const { store, connection, changed } = rig;
  await store.reach();
  let [known, most] = [0, 0];
  while (store.transcript.reached < PAST) {
    await nextTurn();
    if (changed.length > 0 && store.transcript.reached < PAST) await store.readBack(1, "end");
    most = Math.max(most, changed.length - known);
    known = changed.length;
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(128);
  expect(connection.subscriptions).toHaveLength(1);
});

test("[TUI-10] a long log whose last page cannot be shown leaves no subscription open", async () => {
  const work = Array.from({ length: PAST }, () => cost(1));
  using rig = openRig(work, {});
  const { store, connection } = rig;
  connection.reply = ({ kind }) => {
    if (kind === "GetSession") return { ...INFO, state: "running" };
    throw new Error("the connection is gone");
  };
  await store.reach();
  await until("the reading has ended", () => rig.ended.length === 1);
  expect(rig.ended).toEqual([new Error("the connection is gone")]);
  expect([connection.subscriptions.length, connection.subscribers]).toEqual([1, 0]);
});
