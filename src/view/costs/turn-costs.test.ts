import { expect, test } from "bun:test";
import { fakeId, SESSION } from "../../../test/support/fake-connection.ts";
import type { CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { addTurnCost, NO_TURN_COSTS } from "./turn-costs.ts";

const COST: Event = {
  kind: "CostIncremented",
  payload: { provider: "mock", model: "one", inputTokens: 1, outputTokens: 1, usd: 1 },
};

function by(agent: CallId | undefined, event: Event): Envelope {
  const frame = { id: 1, session: SESSION, ts: "", ...(agent === undefined ? {} : { parentCall: agent }) };
  return { ...frame, ...event } as Envelope;
}

test("[PROV-11] however many sub-agents a turn has, the reported calls of the session's own agent are known at its end", () => {
  const agents = Array.from({ length: 250 }, (_, at) => fakeId("call", at) as CallId);
  const costs = [undefined, ...agents].map((agent) => by(agent, COST)).reduce(addTurnCost, NO_TURN_COSTS);
  expect(costs.calls.size).toBeLessThan(agents.length);
  const cut = by(undefined, { kind: "TurnEnded", payload: { turn: 1, reason: "cancelled", rounds: 1 } });
  expect(addTurnCost(costs, cut).total).toMatchObject({ calls: 251, unpricedCalls: 0, usd: 251 });
});
