import { expect, test } from "bun:test";
import { asks, each, ends, envelopes } from "../../../test/support/transcript-rig.ts";
import type { Event } from "../../protocol/events/events.ts";
import { NO_COST } from "../../view/costs/cost.ts";
import { digestOf } from "./digest.ts";

function costs(usd: number): Event {
  const payload = { provider: "mock", model: "one", inputTokens: 10, outputTokens: 1, usd };
  return { kind: "CostIncremented", payload };
}

test("[SES-13 SES-09] costs between turns, as of /compact, are listed separately and not in the turn before", async () => {
  const events = envelopes(costs(1), asks(1, "go"), costs(2), ends(1), costs(4), asks(2, "on"), costs(8));
  const { turns, betweenTurns } = await digestOf(each(events));
  const of = (usd: number, calls: number) => ({
    ...NO_COST,
    usd,
    calls,
    inputTokens: 10 * calls,
    outputTokens: calls,
  });
  expect(turns.map(({ turn, cost }) => [turn, cost])).toEqual([
    [1, of(2, 1)],
    [2, of(8, 1)],
  ]);
  expect(betweenTurns).toEqual(of(5, 2));
});
