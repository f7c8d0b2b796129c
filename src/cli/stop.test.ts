import { expect, test } from "bun:test";
import { fakeClock } from "../../test/support/fake-clock.ts";
import { countOnce } from "./stop.ts";

test("[LIFE-02 CRED-03] a signal of the terminal, which keeper and engine both get, counts once", async () => {
  const clock = fakeClock();
  const counts = countOnce(clock);
  expect([counts("SIGINT", "received"), counts("SIGINT", "told")]).toEqual([true, false]);
  expect([counts("SIGINT", "told"), counts("SIGINT", "received")]).toEqual([true, false]);
  // Two presses in a row, in whatever order they arrive.
  const ways = ["received", "received", "told", "told"] as const;
  expect(ways.map((way) => counts("SIGINT", way))).toEqual([true, true, false, false]);
});

test("[LIFE-02 CRED-03] signals that only one of them gets all count, and different ones are never taken for the same", async () => {
  const clock = fakeClock();
  const counts = countOnce(clock);
  expect([counts("SIGTERM", "told"), counts("SIGTERM", "told")]).toEqual([true, true]);
  expect(counts("SIGINT", "received")).toBe(true);
  await clock.advance(1_001);
  expect(counts("SIGINT", "told")).toBe(true);
});
