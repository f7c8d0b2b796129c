import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { NO_NUMBERS, numbersAfter } from "../../../session/store/notes/log-numbers.ts";
import { SessionFacts } from "./facts.ts";

const INFO: SessionInfo = {
  ...{ session: SESSION, log: fakeId("log", 1), title: "", profile: "default", model: "m:one" },
  ...{ status: "running", live: true, turns: 0, events: 0, working_dir: "/", pinned: false },
  ...{ created_at: "2026-03-01T10:00:00.000Z", updated_at: "2026-03-01T10:00:00.000Z" },
  context_window: 1_000,
};

test("[CTL-20] an editor shows the tokens of the context that GetSession has, after every event", () => {
  const cost = { provider: "m", model: "one", inputTokens: 10, outputTokens: 2, usd: 0 };
  const cached = { cacheReadTokens: 300, cacheWriteTokens: 40 };
  const parentCall = fakeId("call", 1);
  const events = [
    { kind: "CostIncremented", payload: { ...cost, ...cached } },
    { kind: "CostIncremented", payload: { ...cost, inputTokens: 700, purpose: "summary" } },
    { kind: "CompactionTriggered", payload: { beforeTokens: 352, afterTokens: 90 } },
    { kind: "CostIncremented", payload: { ...cost, inputTokens: 900 }, parentCall },
    { kind: "CompactionTriggered", payload: { beforeTokens: 900, afterTokens: 800 }, parentCall },
    { kind: "CostIncremented", payload: { ...cost, inputTokens: 110 } },
  ].map((event, at) => ({ id: at + 1, session: SESSION, ts: "", ...event }) as Envelope);
  const facts = new SessionFacts(INFO);
  const shown = () => facts.usage().flatMap((update) => ("used" in update ? [update.used] : []))[0];
  let numbers = NO_NUMBERS;
  const both = events.map((event) => {
    facts.after(event);
    numbers = numbersAfter(numbers, [event], 0);
    return [shown(), numbers.contextTokens];
  });
  const tokens = [352, 352, 90, 90, 90, 112];
  expect(both).toEqual(tokens.map((count) => [count, count]));
});
