import { expect, test } from "bun:test";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import { printCosts } from "./cost-table.ts";
import { spentCosts } from "./spent-costs.ts";

const ONE = {
  calls: 2,
  input_tokens: 100,
  output_tokens: 20,
  cache_read_tokens: 50,
  cache_write_tokens: 0,
  cost_usd: 0.5,
  known_cost_usd: 0.5,
};
const UNKNOWN = { ...ONE, cost_usd: null, known_cost_usd: 0 };

test("[CMD-01] the tables of costs show the engine's answer as they show events", () => {
  const spend: ResultOf<"GetSpend"> = {
    total: { ...ONE, cost_usd: null },
    turns: [
      { turn: 1, ...ONE },
      { turn: 2, ...UNKNOWN },
    ],
    models: [{ model: "mock:one", ...ONE }, { ...UNKNOWN }],
    agents: [{ ...ONE }],
    reads: [
      { tools: [], prompt: true, ...ONE },
      { tools: ["Read", "Bash"], ...ONE },
      { tools: [], summary: true, ...UNKNOWN },
    ],
    cache_misses: [{ event: 9, turn: 2, model: "mock:one", cause: "expired", lost_tokens: 7 }],
  };
  const costs = spentCosts(spend);
  expect([...costs.by.tool.keys()]).toEqual(["the prompt", "Bash + Read", "summaries"]);
  const text = printCosts(costs, { rowsMax: 10 });
  expect(text).toStartWith("at least $0.50");
  expect(text).toContain("turn 2  price unknown");
  expect(text).toContain("a pause of over 5 minutes: 7 tokens, 1 call");
});
