import { expect, test } from "bun:test";
import { join } from "node:path";
import { startEngineIn } from "../support/both-ways.ts";
import { runCinch } from "../support/cinch.ts";
import type { MockHome } from "../support/mock-home.ts";
import { openMockHome } from "../support/mock-home.ts";
import { calls, says } from "../support/mock-provider/turn.ts";

const TIMEOUT_MS = 300_000;

/** The answer of a running engine to its owner. */
async function ask({ home, work }: MockHome, path: string): Promise<Record<string, unknown>> {
  const made = await runCinch(["token", "--identity-class", "human"], { home, cwd: work });
  const answer = await fetch(`http://localhost${path}`, {
    unix: join(home.path, "data/cinch/control.sock"),
    headers: { "X-Harness-Token": made.stdout.trim() },
  });
  return (await answer.json()) as Record<string, unknown>;
}

test(
  "[CTL-19 CLI-02] stream-json ends with the tokens of the turn, and GetSpend says which call missed the cache and why",
  async () => {
    const usage = (input: number, cacheRead: number) => ({ usage: { input, output: 10, cacheRead } });
    await using place = openMockHome([
      calls("Ls", { path: "." }, usage(5_000, 0)),
      calls("Ls", { path: ".." }, usage(300, 5_000)),
      says("listed", usage(5_500, 0)),
    ]);
    await using _engine = await startEngineIn(place);
    const { stdout } = await place.run(["-p", "look", "--output-format", "stream-json"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const tokens = { calls: 3, inputTokens: 10_800, outputTokens: 30, cacheReadTokens: 5_000 };
    expect(events.at(-1)).toMatchObject({
      kind: "TurnEnded",
      payload: { reason: "complete", usage: { ...tokens, cacheWriteTokens: 0 }, usd: null },
    });
    const costs = events.filter(({ kind }) => kind === "CostIncremented");
    const miss = { cause: "unknown", lostTokens: 5_300 };
    expect(costs.map(({ payload }) => payload.cacheMiss)).toEqual([undefined, undefined, miss]);

    const { session } = costs[0];
    const spend = await ask(place, `/v1/sessions/${session}/spend`);
    const all = { calls: 3, input_tokens: 10_800, output_tokens: 30, cache_read_tokens: 5_000 };
    expect(spend).toMatchObject({
      total: { ...all, cost_usd: null, known_cost_usd: 0 },
      turns: [{ turn: 1, ...all }],
      models: [{ model: "mock:one", ...all }],
      agents: [{ calls: 3 }],
      reads: [
        { tools: [], prompt: true, calls: 1 },
        { tools: ["Ls"], calls: 2 },
      ],
      cache_misses: [
        { event: costs[2].id, turn: 1, model: "mock:one", cause: "unknown", lost_tokens: 5_300 },
      ],
    });
    expect(await ask(place, "/v1/sessions/sess_00000000000000000000000000/spend")).toMatchObject({
      reason: "UnknownSession",
    });
  },
  TIMEOUT_MS,
);
