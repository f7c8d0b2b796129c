import { expect, test } from "bun:test";
import { FAILURES_MAX, NO_FAILURES, planAfterFailure, RESTART_WINDOW_MS } from "./restarts.ts";

test("[MCP-03] restarts come after 1, 2 and 4 seconds, at most three in a minute", () => {
  const pauses: unknown[] = [];
  let failures = NO_FAILURES;
  for (const nowMs of [0, 1_500, 4_000, 9_000]) {
    const next = planAfterFailure(failures, { nowMs, ranMs: 0 });
    pauses.push(next.kind === "restart" ? next.afterMs : next);
    if (next.kind === "restart") failures = next.failures;
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, { kind: "give-up", restarts: 3 }]);
});

test("[MCP-03] five failures in a row are the end, however far apart, unless it ran for a while in between", () => {
  const failing = (ranMs: number) => {
    let failures = NO_FAILURES;
    for (let times = 1; times <= 20; times++) {
      const next = planAfterFailure(failures, { nowMs: times * 2 * RESTART_WINDOW_MS, ranMs });
      if (next.kind === "give-up") return [times, next.restarts];
      failures = next.failures;
    }
    return "never";
  };
  expect([failing(0), failing(RESTART_WINDOW_MS - 1), failing(RESTART_WINDOW_MS)]).toEqual([
    [FAILURES_MAX, 4],
    [FAILURES_MAX, 4],
    "never",
  ]);
});
