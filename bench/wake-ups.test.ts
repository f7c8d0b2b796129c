import { expect, test } from "bun:test";
import { addedWakeUps, wakeUpsByThread } from "./wake-ups.ts";

test("[REL-04] wake-ups are counted thread by thread: one that ends takes nothing away", () => {
  const before = new Map([
    ["a", 10],
    ["ended", 1_000],
  ]);
  const after = new Map([
    ["a", 13],
    ["new", 2],
  ]);
  expect(addedWakeUps(before, after)).toBe(5);
});

test("[REL-04] a process has threads, and an ended one has none", async () => {
  const child = Bun.spawn(["sleep", "60"]);
  expect(wakeUpsByThread(child.pid).size).toBeGreaterThan(0);
  child.kill();
  await child.exited;
  expect(wakeUpsByThread(child.pid).size).toBe(0);
});
