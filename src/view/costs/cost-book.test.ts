import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { CLIENT, fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import { holds } from "../../../test/support/property.ts";
import type { CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { NO_COST, sumOfCosts } from "./cost.ts";
import { COST_KEYS, CostBook } from "./cost-book.ts";
import { agentRowOf, readRowOf } from "./cost-rows.ts";
import { printCosts } from "./cost-table.ts";
import { modelPrices } from "./model-prices.ts";

type Told = Event & { readonly parentCall?: CallId };

function bookOf(...events: readonly Told[]): CostBook {
  const book = new CostBook();
  for (const [at, event] of events.entries()) {
    const ts = "2026-01-01T00:00:00.000Z";
    book.add({ id: at + 1, session: SESSION, ts, ...event } as Envelope);
  }
  return book;
}

function started(turn: number): Event {
  return { kind: "TurnStarted", payload: { turn, originator: CLIENT } };
}

function ended(turn: number, reason: "complete" | "cancelled", rounds: number): Event {
  return { kind: "TurnEnded", payload: { turn, reason, rounds } };
}

function ran(tool: string, number: number): readonly Event[] {
  const callId = fakeId("call", number);
  return [
    { kind: "ToolCallStarted", payload: { callId, tool, args: {}, mutating: false } },
    { kind: "ToolResult", payload: { callId, content: [] } },
  ];
}

function cost(
  usd: number | null,
  more: Partial<Extract<Event, { kind: "CostIncremented" }>["payload"]> = {},
): Event {
  const tokens = { inputTokens: 100, outputTokens: 10 };
  return { kind: "CostIncremented", payload: { provider: "p", model: "m", ...tokens, usd, ...more } };
}

function moneyOf(book: CostBook, key: (typeof COST_KEYS)[number]): Record<string, number> {
  return Object.fromEntries([...book.costs.by[key]].map(([name, { usd }]) => [name, usd]));
}

test("[CLI-01] a round's cost belongs to the tools whose results it was sent to read, the first to the prompt", () => {
  const steered = { inputId: fakeId("inp", 1), turn: 1, round: 3 };
  const book = bookOf(
    started(1),
    cost(1),
    ...ran("Read", 1),
    ...ran("Bash", 2),
    cost(2),
    cost(4), // another attempt of the same request
    ...ran("Read", 3),
    { kind: "CustomEvent", payload: { namespace: "cinch", kind: "InputDelivered", payload: steered } },
    cost(8),
    cost(16, { purpose: "summary" }),
    ended(1, "complete", 3),
    started(2),
    cost(32),
    ended(2, "complete", 1),
  );
  expect(moneyOf(book, "tool")).toEqual({
    "the prompt": 33,
    "Bash + Read": 6,
    "Read + the prompt": 8,
    summaries: 16,
  });
  expect(moneyOf(book, "turn")).toEqual({ "1": 31, "2": 32 });
  expect(moneyOf(book, "purpose")).toEqual({ turns: 47, summaries: 16 });
  expect(moneyOf(book, "model")).toEqual({ "p:m": 63 });
});

test("[CLI-01] what a sub-agent costs is its own row, and its turn is the one that it works for", () => {
  const parentCall = fakeId("call", 9);
  const book = bookOf(
    started(3),
    cost(1),
    { kind: "ToolCallStarted", payload: { callId: parentCall, tool: "Agent", args: {}, mutating: false } },
    { ...started(1), parentCall },
    { ...cost(2, { turn: 1 }), parentCall },
    { ...ended(1, "complete", 1), parentCall },
    { kind: "ToolResult", payload: { callId: parentCall, content: [] } },
    cost(4),
    ended(3, "complete", 2),
  );
  expect(moneyOf(book, "turn")).toEqual({ "3": 7 });
  expect(moneyOf(book, "child")).toEqual({ "the session itself": 5, [`Agent ${parentCall}`]: 2 });
  expect(moneyOf(book, "tool")).toEqual({ "the prompt": 3, Agent: 4 });
});

test("[CLI-01 PROV-11] what is unknown is counted in calls, and never as money", () => {
  const book = bookOf(started(1), cost(null), ...ran("Bash", 1), ended(1, "cancelled", 2));
  expect(book.costs.total).toMatchObject({ usd: 0, calls: 2, unpricedCalls: 2 });
  const bash = book.costs.by.tool.get("Bash");
  expect(bash).toMatchObject({ calls: 1, unpricedCalls: 1 });
  expect(printCosts(book.costs, { rowsMax: 5 })).toBe(
    [
      "price unknown this session: 100 tokens in, 10 out, 2 calls",
      "  by what was read",
      "    the prompt  price unknown  110 tokens  1 call",
      "    Bash        price unknown    0 tokens  1 call",
    ].join("\n"),
  );
});

test("[CTL-19] misses of the prompt cache are listed with their cause, and one after a compaction is due to it", () => {
  const miss = (lostTokens: number) => ({ cacheMiss: { cause: "history_changed" as const, lostTokens } });
  const book = bookOf(
    started(1),
    cost(1),
    cost(1, miss(2_000)),
    { kind: "CompactionTriggered", payload: { beforeTokens: 9, afterTokens: 3 } },
    cost(1, { purpose: "summary" }),
    cost(1, miss(5_000)),
    cost(1, miss(1_000)),
  );
  expect(book.costs.misses).toEqual([
    { event: 3, turn: "1", model: "p:m", cause: "history_changed", lostTokens: 2_000 },
    { event: 6, turn: "1", model: "p:m", cause: "compaction", lostTokens: 5_000 },
    { event: 7, turn: "1", model: "p:m", cause: "history_changed", lostTokens: 1_000 },
  ]);
  expect(printCosts(book.costs, { rowsMax: 5 }).split("\n").slice(-3)).toEqual([
    "  read again because the prompt cache missed",
    "    after a compaction: 5,000 tokens, 1 call",
    "    the history changed: 3,000 tokens, 2 calls",
  ]);
});

test("[CTL-19] the name of a row says what it stands for", () => {
  expect(readRowOf("the prompt")).toEqual({ tools: [], prompt: true });
  expect(readRowOf("Bash + Read + the prompt")).toEqual({ tools: ["Bash", "Read"], prompt: true });
  expect(readRowOf("summaries")).toEqual({ tools: [], summary: true });
  expect(readRowOf("earlier")).toEqual({ tools: [] });
  expect(agentRowOf("the session itself")).toEqual({});
  expect(agentRowOf("Agent call_1")).toEqual({ tool: "Agent", call: "call_1" as CallId });
});

test("[CMD-01 PROV-11] each model is listed once with its tokens, and with its price for a million of them if known", () => {
  const book = bookOf(
    started(1),
    cost(1, { inputTokens: 1_000, outputTokens: 20, cacheReadTokens: 50_000, cacheWriteTokens: 7 }),
    cost(null, { provider: "q", model: "n" }),
    cost(0, { provider: "r", model: "told-by-nobody" }),
  );
  const prices = modelPrices({
    "p:m": {
      input: 2,
      output: 10,
      cache_read: 0.1 + 0.2,
      cache_write: 2.5,
      long: { above_tokens: 272_000, input: 4, output: 15 },
    },
    "q:n": null,
  });
  expect(printCosts(book.costs, { rowsMax: 2, prices }).split("\n").slice(0, 9)).toEqual([
    "at least $1.0000 this session:",
    "  51,207 tokens in (50,000 from the cache), 40 out, 3 calls",
    "  by model",
    "    p:m  $1.0000  1 call",
    "      1,000 tokens in, 50,000 from the cache, 7 into it, 20 out",
    "      a million tokens: $2 in, $0.3 from the cache, $2.5 into it, $10 out",
    "      with more than 272,000 in: $4 in, $15 out",
    "    q:n  price unknown  1 call",
    "      100 tokens in, 0 from the cache, 10 out",
  ]);
  expect(printCosts(book.costs, { rowsMax: 2, prices })).toContain("    and 1 more");
  expect(printCosts(book.costs, { rowsMax: 3, prices: modelPrices({}) })).not.toContain("a million");
});

test("[PROF-02 CLI-01] the cost of the sessions before a handover is shown beside its own, and in none of the parts", () => {
  const spentBefore = { usd: 2, unknownCalls: 0, inputTokens: 1_000, outputTokens: 50 };
  const begun = { kind: "ProfileSwitched", payload: { from: "a", to: "b", spentBefore } } as const;
  const book = bookOf(begun, started(1), cost(1), ended(1, "complete", 1));
  expect(printCosts(book.costs, { rowsMax: 5 })).toBe(
    "$1.0000 this session: 100 tokens in, 10 out, 1 call\n$3.0000 with the sessions before it: 1,100 tokens in, 60 out",
  );
  const unknown = {
    ...begun,
    payload: { ...begun.payload, spentBefore: { ...spentBefore, unknownCalls: 1 } },
  };
  expect(printCosts(bookOf(unknown, cost(1)).costs, { rowsMax: 5 })).toContain(
    "\nat least $3.0000 with the sessions before it: ",
  );
});

test("[CLI-01] the parts of each kind add up to the total, whatever happens", async () => {
  const call = fc.integer({ min: 1, max: 6 });
  const event: fc.Arbitrary<readonly Told[]> = fc.oneof(
    fc.integer({ min: 1, max: 9 }).map((turn) => [started(turn)]),
    fc.tuple(fc.constantFrom("Read", "Bash"), call).map(([tool, number]) => ran(tool, number)),
    fc
      .tuple(fc.option(fc.nat(1_000)), fc.option(call), fc.boolean(), fc.constantFrom("m", "n"))
      .map(([usd, parent, isSummary, model]): readonly Told[] => {
        const told = cost(usd, isSummary ? { purpose: "summary" } : {}) as Extract<
          Event,
          { kind: "CostIncremented" }
        >;
        const payload = { ...told.payload, model };
        return [{ ...told, payload, ...(parent === null ? {} : { parentCall: fakeId("call", parent) }) }];
      }),
    fc
      .tuple(fc.constantFrom("complete" as const, "cancelled" as const), fc.nat(9))
      .map(([reason, rounds]) => [ended(1, reason, rounds)]),
  );
  const property = fc.property(fc.array(event, { maxLength: 60 }), (events) => {
    const { total, by } = bookOf(...events.flat()).costs;
    for (const key of COST_KEYS) expect([...by[key].values()].reduce(sumOfCosts, NO_COST)).toEqual(total);
  });
  await holds(property, 300);
});
