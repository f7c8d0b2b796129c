import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openMockHome } from "../support/mock-home.ts";
import { ROOT } from "../support/source.ts";
import type { ToldTurn } from "../support/turn-clients.ts";
import { preparePlace, TURN_SCENARIOS } from "../support/turn-scenarios.ts";

const TIMEOUT_MS = 240_000;
const PRICED = '[prices."mock:one"]\ninput = 1\noutput = 1\n';
const RESULTS: Readonly<Record<string, ToldTurn>> = JSON.parse(
  readFileSync(join(ROOT, "test/data/turns/results.json"), "utf8"),
);

/** One for each way to end, as far as no clock decides. `test/folds-agree.test.ts` has them all. */
const NAMES = [
  "answer-before-call",
  "nothing-after-call",
  "error-after-result",
  "error-then-checkpoint",
  "error-then-notice",
  "budget-after-result",
  "no-progress",
  "turn-limit",
  "sub-agent",
];
const SCENARIOS = TURN_SCENARIOS.filter(({ name }) => NAMES.includes(name));

test(
  "[CLI-01 ENG-13] a turn of the real program has the recorded result, however it ends after a tool result",
  async () => {
    const told: unknown[] = [];
    for (const scenario of SCENARIOS) {
      const { name, script, flags = [], unpriced = false } = scenario;
      await using place = openMockHome(script, `${unpriced ? "" : PRICED}[sandbox]\nbackend = "none"\n`);
      await preparePlace(scenario, place);
      const { stdout } = await place.run(["-p", "go", "--output-format", "json", ...flags]);
      const turn = JSON.parse(stdout);
      const { result: text, stop_reason: reason, turns: rounds, cost_usd: costUsd, tools_used: tools } = turn;
      const { usage, refused } = turn;
      told.push({
        name,
        text,
        reason,
        rounds,
        costUsd,
        usage,
        tools,
        refused,
        error: turn.error?.reason ?? null,
      });
    }
    const expected = SCENARIOS.map(({ name }) => {
      const { error, ...turn } = RESULTS[name] ?? {};
      return { name, ...turn, error: error?.reason ?? null };
    });
    expect(told).toEqual(expected);
  },
  TIMEOUT_MS,
);
