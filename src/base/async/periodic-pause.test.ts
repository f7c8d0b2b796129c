import { expect, test } from "bun:test";
import { periodicPause } from "./periodic-pause.ts";

test("[REL-01 R33] work that never waits lets others have their turn every 8 ms, and ends with its signal", async () => {
  let nowMs = 0;
  const slept: number[] = [];
  const clock = {
    monotonic: () => nowMs,
    sleep: (ms: number) => {
      slept.push(ms);
      return Promise.resolve();
    },
  };
  const stop = new AbortController();
  const breathe = periodicPause(clock, stop.signal);
  for (let step = 0; step < 10; step++) {
    await breathe();
    nowMs += 3;
  }
  expect(slept).toEqual([0, 0, 0]);
  stop.abort(new Error("enough"));
  await expect(breathe()).rejects.toThrow("enough");
});
