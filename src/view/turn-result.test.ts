import { expect, test } from "bun:test";
import { CLIENT, fakeId, SESSION } from "../../test/support/fake-connection.ts";
import type { Envelope } from "../protocol/events/envelope.ts";
import type { Event } from "../protocol/events/events.ts";
import { priceOf } from "./costs/cost.ts";
import { merge } from "./merge.ts";
import type { TurnResult } from "./turn-result.ts";
import { foldTurn, NEW_TURN, turnAnswer, turnResult } from "./turn-result.ts";

const CALL = fakeId("call", 1);

test("[CLI-01] a turn comes to its last text, its tools in order, its refusals and its cost", () => {
  const record = recorded([
    { kind: "TurnStarted", payload: { turn: 1, originator: CLIENT } },
    { kind: "TextDelta", payload: { text: "Let me " } },
    { kind: "TextDelta", payload: { text: "look" } },
    call("Read"),
    denied(),
    result("no", true),
    call("Bash"),
    call("Read"),
    result("PermissionDenied: said the program", true),
    cost(0.5),
    { kind: "TextDelta", payload: { text: "Done" } },
    cost(0.25),
    { kind: "TurnEnded", payload: { turn: 1, reason: "complete", rounds: 3 } },
  ]);
  const { text, tools, refused, reason, rounds } = record;
  expect({ text, tools, refused, reason, rounds }).toEqual({
    text: "Done",
    tools: ["Read", "Bash"],
    refused: 1,
    reason: "complete",
    rounds: 3,
  });
  expect(priceOf(record.cost)).toBe(0.75);
});

test("[CLI-01] an answer before the last calls still counts; one unknown price makes the cost unknown", () => {
  const record = recorded([
    { kind: "TextDelta", payload: { text: "half" } },
    call("Read"),
    cost(1),
    cost(null),
    { kind: "TurnEnded", payload: { turn: 1, reason: "turn_limit" } },
  ]);
  expect(record.text).toBe("half");
  expect(priceOf(record.cost)).toBeNull();
});

test("[CLI-01 CTX-03] what is merely to be known is not what a turn failed of", () => {
  const message = "@a.txt did not go to the model";
  const notice = { reason: "FileNotAttached", message, severity: "notice" } as const;
  const failure = { reason: "ProviderFailed", message: "no answer" };
  expect(recorded([{ kind: "Error", payload: notice }]).error).toBeUndefined();
  const events: readonly Event[] = [
    { kind: "Error", payload: failure },
    { kind: "Error", payload: notice },
    { kind: "TurnEnded", payload: { turn: 1, reason: "error" } },
  ];
  expect(recorded(events).error).toEqual(failure);
});

test("[CLI-01 ENG-13] a turn failed of what its end names, whatever was reported after the failure", () => {
  const details = { provider: "mock", detail: "gone" };
  const failure = { reason: "ProviderFailed", message: "no answer", details };
  const later = { reason: "CheckpointUnwritable", message: "no room" };
  const events: readonly Event[] = [
    { kind: "Error", payload: failure },
    { kind: "Error", payload: later },
  ];
  const end = { turn: 1, reason: "error" } as const;
  const named = recorded([...events, { kind: "TurnEnded", payload: { ...end, error: failure } }]);
  expect(named.error).toEqual(failure);
  expect(turnAnswer(named).error).toEqual({ reason: "ProviderFailed", message: "no answer" });
  expect(recorded([...events, { kind: "TurnEnded", payload: end }]).error).toEqual(later);
});

test("[CLI-01 PROV-09] a retry is not what a turn failed of", () => {
  const retry = { reason: "ProviderFailed", message: "again in 2 s", details: { retryInMs: 2_000 } };
  const failure = { reason: "CompactionStuck", message: "no room" };
  const end = { kind: "TurnEnded", payload: { turn: 1, reason: "no_progress" } } as const;
  expect(recorded([{ kind: "Error", payload: retry }, end]).error).toBeUndefined();
  expect(
    recorded([{ kind: "Error", payload: failure }, { kind: "Error", payload: retry }, end]).error,
  ).toEqual(failure);
});

test("[CLI-01] a sub-agent costs, but does not speak, call or end for its parent", () => {
  const events: readonly Event[] = [
    { kind: "TextDelta", payload: { text: "inner" } },
    call("Bash"),
    cost(2),
    { kind: "TurnEnded", payload: { turn: 1, reason: "error" } },
  ];
  const record = recorded(events, { parentCall: CALL });
  expect(record).toEqual({ ...turnResult(NEW_TURN), cost: record.cost });
  expect(priceOf(record.cost)).toBe(2);
});

test("[REL-01] merged streams end together, throw what broke, and are one item ahead at most", async () => {
  let taken = 0;
  async function* numbers(from: number, to: number) {
    for (let number = from; number <= to; number++) {
      taken += 1;
      yield number;
    }
  }
  const seen: number[] = [];
  for await (const number of merge([numbers(1, 3), numbers(11, 12)])) seen.push(number);
  expect(seen.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 11, 12]);
  taken = 0;
  for await (const _ of merge([numbers(1, 1_000)])) break;
  expect(taken).toBeLessThanOrEqual(2);
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    throw new Error("broke");
  }
  await expect(Array.fromAsync(merge([broken()]))).rejects.toThrow("broke");
});

function denied(): Event {
  return { kind: "Error", payload: { reason: "PermissionDenied", message: "no", details: { callId: CALL } } };
}

function recorded(events: readonly Event[], frame: Partial<Envelope> = {}): TurnResult {
  const all = events.map(
    (event, at) => ({ id: at + 1, session: SESSION, ts: "", ...event, ...frame }) as Envelope,
  );
  return turnResult(all.reduce(foldTurn, NEW_TURN));
}

function call(tool: string): Event {
  return { kind: "ToolCallStarted", payload: { callId: CALL, tool, args: {}, mutating: false } };
}

function result(text: string, isError: boolean): Event {
  return { kind: "ToolResult", payload: { callId: CALL, content: [{ type: "text", text }], isError } };
}

function cost(usd: number | null): Event {
  const payload = { provider: "mock", model: "one", inputTokens: 10, outputTokens: 2, usd };
  return { kind: "CostIncremented", payload };
}
