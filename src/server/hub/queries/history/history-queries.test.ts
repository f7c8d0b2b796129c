import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { fakeId } from "../../../../../test/support/fake-connection.ts";
import { holds } from "../../../../../test/support/property.ts";
import type { LogId, SessionId } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { Event } from "../../../../protocol/events/events.ts";
import { ITEMS_LISTED_MAX } from "../../../../protocol/queries/history-queries.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import { expiredEvent, isInRanges } from "../../../../session/store/expired.ts";
import type { EventRange, LogInfo } from "../../../../session/store/store.ts";
import { isTurnStarted } from "../../../../view/turn-marks.ts";
import { historyQueries } from "./history-queries.ts";

const FOLDER = join(import.meta.dir, "../../../../../test/data/turns");
const SESSION: SessionId = fakeId("sess", 1);
const LOG: LogId = fakeId("log", 1);

function recorded(name: string): readonly Envelope[] {
  const lines = readFileSync(join(FOLDER, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  return lines.map((line): Envelope => JSON.parse(line));
}

const NAMES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.replace(/\.jsonl$/, ""))
  .sort();

/** Joins recorded turns to one log, each as the next turn, with new ids of events. */
function joined(names: readonly string[]): readonly Envelope[] {
  const log: Envelope[] = [];
  for (const [at, name] of names.entries()) {
    const calls = new Map<string, string>();
    const text = JSON.stringify(recorded(name)).replaceAll(/"(call_\w+)"/g, (_all, call: string) => {
      if (!calls.has(call)) calls.set(call, fakeId("call", at * 1_000 + calls.size));
      return `"${calls.get(call)}"`;
    });
    const base = log.length;
    for (const event of JSON.parse(text) as readonly Envelope[]) {
      const { payload, parentCall } = event;
      const renumbered =
        parentCall === undefined && "turn" in payload ? { ...payload, turn: at + 1 } : payload;
      log.push({ ...event, id: base + event.id, payload: renumbered } as Envelope);
    }
  }
  return log;
}

interface Given {
  readonly isHeld?: boolean;
  readonly expired?: readonly EventRange[];
}

/** The queries of a log that is given; `read` counts the events that the store has returned. */
function historyOf(events: readonly Envelope[], { isHeld = false, expired = [] }: Given = {}) {
  const counts = { read: 0 };
  const marked = (each: readonly Envelope[]) => {
    counts.read += each.length;
    return each.map((event) => (isInRanges(event.id, expired) ? expiredEvent(event) : event));
  };
  const info = {
    logId: LOG,
    session: SESSION,
    lastEvent: events.at(-1)?.id ?? 0,
    turns: events.findLast((event) => isTurnStarted(event))?.payload.turn ?? 0,
    ...(isHeld ? { heldBy: { pid: 1, processStart: "1" } } : {}),
  } as LogInfo;
  const handlers = historyQueries({
    store: {
      expired: async () => expired,
      markedEvents: async (_log, since, limit) => marked(events.slice(since, since + limit)),
      eventsBefore: async (_log, before, limit) =>
        marked(events.slice(Math.max(0, before - limit), Math.max(0, before))),
    },
    find: async () => info,
  });
  const asking = { identityClass: "human", signal: new AbortController().signal } as const;
  return {
    counts,
    turns: async (query: Omit<QueryOf<"ListTurns">, "kind" | "sessionId"> = {}) =>
      await handlers.ListTurns({ kind: "ListTurns", sessionId: SESSION, ...query }, asking),
    items: async (query: Omit<QueryOf<"ListItems">, "kind" | "sessionId"> = {}) =>
      await handlers.ListItems({ kind: "ListItems", sessionId: SESSION, ...query }, asking),
    item: async (event: number) =>
      await handlers.GetItem({ kind: "GetItem", sessionId: SESSION, event }, asking),
  };
}

type History = ReturnType<typeof historyOf>;
type Filter = Pick<QueryOf<"ListItems">, "turn" | "parentCall">;

/** Joins the pages of a log from its end to its beginning. */
async function itemsBackward(history: History, limit: number, filter: Filter = {}) {
  const all: ResultOf<"ListItems">["items"][number][] = [];
  let page = await history.items({ ...filter, limit });
  all.unshift(...page.items);
  while (page.more && page.next !== undefined) {
    page = await history.items({ ...filter, limit, before: page.next });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.unshift(...page.items);
  }
  return all;
}

async function itemsForward(
  history: History,
  limit: number,
  filter: Filter & { readonly from?: number } = {},
) {
  const { from: after = 0, ...rest } = filter;
  const all: ResultOf<"ListItems">["items"][number][] = [];
  let page = await history.items({ ...rest, limit, after });
  all.push(...page.items);
  while (page.more && page.next !== undefined) {
    page = await history.items({ ...rest, limit, after: page.next });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    all.push(...page.items);
  }
  return all;
}

async function turnsBackward(history: History, limit: number) {
  let page = await history.turns({ limit });
  const all = [...page.turns];
  for (let first = all[0]; page.more && first !== undefined; first = all[0]) {
    page = await history.turns({ limit, before: first.turn });
    all.unshift(...page.turns);
  }
  return all;
}

async function turnsForward(history: History, limit: number) {
  let page = await history.turns({ limit, after: 0 });
  const all = [...page.turns];
  for (let last = all.at(-1); page.more && last !== undefined; last = all.at(-1)) {
    page = await history.turns({ limit, after: last.turn });
    all.push(...page.turns);
  }
  return all;
}

/** A log of events after each other. */
function logOf(events: readonly Event[]): readonly Envelope[] {
  return events.map((event, at) => ({
    ...event,
    id: at + 1,
    session: SESSION,
    ts: new Date(at * 1_000).toISOString(),
  }));
}

const CLIENT = fakeId("cli", 1);
const started = (turn: number): Event => ({
  kind: "TurnStarted",
  payload: { turn, originator: CLIENT, content: [{ type: "text", text: `prompt ${turn}` }] },
});
const ended = (turn: number): Event => ({
  kind: "TurnEnded",
  payload: { turn, reason: "complete", rounds: 1 },
});
const cost = (turn: number): Event => ({
  kind: "CostIncremented",
  payload: { provider: "mock", model: "one", inputTokens: 1, outputTokens: 1, usd: 0, turn },
});
const said = (text: string): Event => ({ kind: "TextDelta", payload: { text } });

test("[CTL-15] the turns of a log say prompt, answer, tools, cost and how they ended", async () => {
  const history = historyOf(joined(["plain", "sub-agent", "killed-and-resumed"]));
  const { turns, more } = await history.turns();
  expect(more).toBe(false);
  expect(turns).toMatchObject([
    { turn: 1, first_event: 1, last_event: 5, prompt: "go", reason: "complete", calls: 0 },
    { turn: 2, answer: "Outer answer.", tools: ["Agent"], calls: 1, rounds: 2, input_tokens: 400 },
    { turn: 3, answer: "Half an an", reason: "error", error_reason: "TurnInterrupted", cost_usd: null },
  ]);
});

test("[CTL-15] the items of a log are prompts, blocks of text and calls with their results", async () => {
  const { items, more } = await historyOf(joined(["several-blocks", "refused-call"])).items();
  expect(more).toBe(false);
  expect(items.map(({ kind, text, state, turn }) => [turn, kind, text, state])).toEqual([
    [1, "prompt", "go", undefined],
    [1, "text", "One.", undefined],
    [1, "thinking", "And?", undefined],
    [1, "text", "Two.", undefined],
    [2, "prompt", "go", undefined],
    [2, "call", expect.stringContaining("Write"), "refused"],
    [2, "notice", expect.any(String), undefined],
    [2, "text", expect.any(String), undefined],
  ]);
});

test("[CTL-15] the items of a sub-agent are counted at its call and listed by it", async () => {
  const history = historyOf(joined(["plain", "sub-agent", "plain"]));
  const { items } = await history.items({ turn: 2 });
  expect(items.map(({ kind }) => kind)).toEqual(["prompt", "text", "call", "text"]);
  const call = items[2];
  const { call: parentCall, event: after = 0 } = call ?? {};
  const inner = [
    ["prompt", 2, "go"],
    ["text", 2, "Let me look."],
    ["call", 2, "Ls ."],
    ["text", 2, "Inner answer."],
  ];
  expect(call?.children).toBe(inner.length);
  for (const query of [{ parentCall }, { parentCall, after }, { parentCall, turn: 2 }]) {
    const page = await history.items(query);
    expect(page.more).toBe(false);
    expect(page.items.map(({ kind, turn, text }) => [kind, turn ?? 0, text])).toEqual(inner);
    expect(page.items.every(({ parent_call }) => parent_call === parentCall)).toBe(true);
  }
});

/** Compares the pages of some recorded turns with their whole list, which may itself be longer than one page. */
async function comparePages(names: readonly string[], limit: number): Promise<void> {
  const history = historyOf(joined(names));
  const whole = await itemsForward(history, ITEMS_LISTED_MAX);
  expect(await itemsBackward(history, limit)).toEqual(whole);
  expect(await itemsForward(history, limit)).toEqual(whole);
  for (const turn of [1, names.length]) {
    const own = whole.filter((item) => item.turn === turn);
    expect(await itemsBackward(history, limit, { turn })).toEqual(own);
    expect(await itemsForward(history, limit, { turn })).toEqual(own);
  }
  for (const { call, event, children } of whole) {
    if (call === undefined || children === undefined) continue;
    const backward = await itemsBackward(history, limit, { parentCall: call });
    expect(backward.length).toBe(children);
    expect(await itemsForward(history, limit, { parentCall: call, from: event })).toEqual(backward);
  }
}

test("[CTL-15] pages of items, joined in either direction, are the whole list for every limit", async () => {
  await holds(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 40 }),
      comparePages,
    ),
    60,
  );
});

test("[CTL-15] pages of items, joined, are the whole list of a log with more items than a page can have", async () => {
  // 42 items each.
  const names = Array.from({ length: 12 }, () => "no-progress");
  const { more } = await historyOf(joined(names)).items({ limit: ITEMS_LISTED_MAX });
  expect(more).toBe(true);
  await comparePages(names, 20);
});

test("[CTL-15] a page from any event on has the same items as the whole list", async () => {
  const events = joined(NAMES);
  const history = historyOf(events);
  const whole = await itemsForward(history, 500);
  for (const { id } of events) {
    const [after, before] = [
      await history.items({ after: id, limit: 3 }),
      await history.items({ before: id, limit: 3 }),
    ];
    expect(after.items).toEqual(whole.filter(({ event }) => event > id).slice(0, 3));
    expect(before.items).toEqual(whole.filter(({ event }) => event < id).slice(-3));
  }
});

test("[CTL-15] pages of turns, joined in either direction, are the whole list for every limit", async () => {
  await holds(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 25 }),
      async (names, limit) => {
        const history = historyOf(joined(names));
        const whole = (await history.turns({ limit: 200 })).turns;
        expect(whole.map(({ turn }) => turn)).toEqual(names.map((_name, at) => at + 1));
        expect(await turnsBackward(history, limit)).toEqual([...whole]);
        expect(await turnsForward(history, limit)).toEqual([...whole]);
      },
    ),
    60,
  );
});

test("[CTL-15] an item is given whole with its events, and an event inside an item is refused", async () => {
  const events = joined(["sub-agent", "several-blocks"]);
  const history = historyOf(events);
  for (const item of await itemsForward(history, 500)) {
    const whole = await history.item(item.event);
    expect(whole).toMatchObject({ item });
    expect(JSON.stringify(whole.events).length).toBe(item.bytes + whole.events.length + 1);
    expect(whole.events.at(-1)?.id).toBe(item.last_event);
  }
  const result = events.find(({ kind, parentCall }) => kind === "ToolResult" && parentCall === undefined);
  for (const event of [result?.id ?? 0, events.length + 1])
    await expect(history.item(event)).rejects.toMatchObject({ reason: "UnknownResource" });
});

test("[CTL-15] an item above 4 MiB is cut, and says so", async () => {
  const piece = "x".repeat(1_500_000);
  const events = logOf([started(1), said(piece), said(piece), said(piece), said(piece), ended(1)]);
  const { item, events: given, cut } = await historyOf(events).item(2);
  expect({ cut, given: given.length, last: item.last_event }).toEqual({ cut: true, given: 2, last: 5 });
  expect(item.bytes).toBeGreaterThan(4 * piece.length);
});

test("[CTL-15] expired turns and items say so, and show nothing of their content", async () => {
  const events = logOf([started(1), said("secret"), cost(1), ended(1), started(2), said("open"), ended(2)]);
  const history = historyOf(events, { expired: [{ from: 1, to: 4 }] });
  const { items } = await history.items();
  expect(items.map(({ text, expired }) => [text, expired])).toEqual([
    ["«ttl-expired»", true],
    ["«ttl-expired»", true],
    ["prompt 2", undefined],
    ["open", undefined],
  ]);
  const { turns } = await history.turns();
  expect(turns.map(({ answer, expired }) => [answer, expired])).toEqual([
    ["«ttl-expired»", true],
    ["open", undefined],
  ]);
});

test("[CTL-15] what has not ended runs while a process holds the log, and is cancelled without one", async () => {
  const callId = fakeId("call", 1);
  const call: Event = {
    kind: "ToolCallStarted",
    payload: { callId, tool: "Bash", args: { command: "make" }, mutating: true },
  };
  const events = logOf([started(1), call]);
  const [held, free] = [historyOf(events, { isHeld: true }), historyOf(events)];
  expect((await held.items()).items[1]).toMatchObject({ kind: "call", text: "Bash make", state: "running" });
  expect((await held.turns()).turns).toMatchObject([{ turn: 1, running: true, rounds: 0 }]);
  expect((await free.items()).items[1]).toMatchObject({ state: "cancelled" });
  expect((await free.turns()).turns[0]).not.toHaveProperty("running");
});

test("[CTL-15] a page of a log of 200,000 events reads a bounded part of it", async () => {
  const events = logOf(
    Array.from({ length: 20_000 }, (_none, at) => [
      started(at + 1),
      ...Array.from({ length: 7 }, () => said("word ")),
      cost(at + 1),
      ended(at + 1),
    ]).flat(),
  );
  const history = historyOf(events);
  for (const query of [{}, { before: 10_000 }, { after: 10_000 }, { after: 0 }]) {
    history.counts.read = 0;
    const { turns, more } = await history.turns({ ...query, limit: 10 });
    expect({ turns: turns.length, more }).toEqual({ turns: 10, more: true });
    expect(history.counts.read).toBeLessThan(3_000);
  }
  for (const query of [{}, { before: 100_000 }, { after: 100_000 }, { turn: 10_000 }]) {
    history.counts.read = 0;
    expect((await history.items({ ...query, limit: 2 })).items).toHaveLength(2);
    expect(history.counts.read).toBeLessThan(5_000);
  }
});

test("[CTL-15] a turn longer than an answer reads is given cut, and its items by pages that say how to go on", async () => {
  const words = Array.from({ length: 50_000 }, () => said("word "));
  const events = logOf([started(1), cost(1), ended(1), started(2), ...words, cost(2), ended(2)]);
  const history = historyOf(events);
  expect(await history.turns()).toMatchObject({
    turns: [{ turn: 2, first_event: 4, prompt: "prompt 2", reason: "complete", cut: true }],
    more: true,
  });
  expect(history.counts.read).toBeLessThan(75_000);
  expect(await history.turns({ before: 2 })).toMatchObject({ turns: [{ turn: 1 }], more: false });
  expect(await history.turns({ after: 1 })).toMatchObject({ turns: [{ turn: 2, cut: true }], more: false });
  history.counts.read = 0;
  const last = await history.items({ limit: 5 });
  expect(last).toMatchObject({ items: [], more: true });
  expect(history.counts.read).toBeLessThan(75_000);
  const items = await itemsBackward(history, 5);
  expect(items.map(({ kind, event }) => [kind, event])).toEqual([
    ["prompt", 1],
    ["prompt", 4],
    ["text", 5],
  ]);
});
