import { expect, test } from "bun:test";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { costEntries, totalText } from "./cost-entries.ts";

const FIGURES = {
  calls: 2,
  input_tokens: 1_000,
  output_tokens: 20,
  cache_read_tokens: 3_000,
  cache_write_tokens: 0,
  cost_usd: 0.5,
  known_cost_usd: 0.5,
};
const UNKNOWN = { ...FIGURES, cost_usd: null, known_cost_usd: 0.25 };
const SPEND = {
  total: UNKNOWN,
  turns: [
    { turn: 0, ...FIGURES },
    { turn: 1, ...FIGURES },
  ],
  models: [
    { model: "m:cheap", ...FIGURES, cost_usd: 0.1, known_cost_usd: 0.1 },
    { model: "m:dear", ...FIGURES },
  ],
  agents: [{ ...FIGURES }, { call: "call_1", tool: "Task", ...UNKNOWN }],
  reads: [{ tools: ["Bash", "Read"], prompt: true, ...FIGURES }],
  cache_misses: [{ event: 7, turn: 1, model: "m:dear", cause: "model_changed", lost_tokens: 4_000 }],
} as unknown as ResultOf<"GetSpend">;

test("[TUI-06 TUI-03] the tables of costs have the dearest row first, unknown prices are marked, and misses have a cause", () => {
  const lines = (table: Parameters<typeof costEntries>[1]) =>
    costEntries(SPEND, table, new Map([[1, "go on"]])).map(({ label, cells = [] }) =>
      [label, ...cells.map(({ text }) => text)].join(" | "),
    );
  expect(lines("turns")).toEqual([
    "turn 1: go on | $0.5000 | 4,000 | 75% | 20 | 2",
    "outside of turns | $0.5000 | 4,000 | 75% | 20 | 2",
  ]);
  expect(lines("models").map((line) => line.split(" | ")[0])).toEqual(["m:dear", "m:cheap"]);
  expect(lines("agents")).toEqual([
    "the session itself | $0.5000 | 4,000 | 75% | 20 | 2",
    "Task call_1 | ≥$0.2500 | 4,000 | 75% | 20 | 2",
  ]);
  expect(lines("reads")[0]).toStartWith("the prompt + results of Bash + results of Read | ");
  expect(lines("misses")).toEqual(["the model changed | 4,000 | 1"]);
  expect(totalText(SPEND)).toBe("≥$0.2500 this session · 2 calls · 4,000 tokens in, 20 out");
});
