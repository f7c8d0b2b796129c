import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { Cancelled, DeadlineReached } from "../errors.ts";
import { deadline, whileAlive } from "./deadline.ts";

const NEVER = new AbortController().signal;

test("[ENG-22] a deadline aborts when its time is up, and says that it was the time", async () => {
  const clock = fakeClock();
  using limit = deadline(clock, 30_000, NEVER);
  await clock.advance(29_999);
  expect([limit.signal.aborted, limit.reached]).toEqual([false, false]);
  await clock.advance(1);
  expect([limit.signal.aborted, limit.reached]).toEqual([true, true]);
  expect(limit.signal.reason).toEqual(new DeadlineReached(30_000));
  expect(String(limit.signal.reason)).toContain("no end within 30 s");
});

test("[ENG-09 ENG-22] the parent's reason is handed on as it is, before and after the start", async () => {
  const clock = fakeClock();
  const why = new Cancelled("signal", "interrupted");
  const parent = new AbortController();
  using limit = deadline(clock, 10, parent.signal);
  parent.abort(why);
  expect(limit.signal.reason).toBe(why);
  await clock.advance(10);
  expect([limit.signal.reason, limit.reached]).toEqual([why, false]);
  using late = deadline(clock, 10, parent.signal);
  expect(late.signal.reason).toBe(why);
});

test("[ENG-22] a sign of life restarts the wait", async () => {
  const clock = fakeClock();
  using limit = deadline(clock, 100, NEVER);
  for (let sign = 0; sign < 3; sign++) {
    await clock.advance(99);
    limit.restart();
  }
  expect(limit.signal.aborted).toBe(false);
  await clock.advance(100);
  expect(limit.reached).toBe(true);
});

test("[REL-04] a deadline that is disposed leaves no timer and no listener", async () => {
  const clock = fakeClock();
  const parent = new AbortController();
  const limit = deadline(clock, 100, parent.signal);
  limit.restart();
  expect(clock.waiting).toBe(1);
  limit[Symbol.dispose]();
  limit[Symbol.dispose]();
  expect(clock.waiting).toBe(0);
  parent.abort(new Error("later"));
  expect(limit.signal.aborted).toBe(false);
});

test("[ENG-22] waiting for foreign work ends with the signal, and its late failure is nobody's error", async () => {
  const parent = new AbortController();
  const work = Promise.withResolvers<number>();
  const waiting = whileAlive(work.promise, parent.signal);
  parent.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  work.reject(new Error("late"));
  await expect(whileAlive(Promise.reject(new Error("later")), parent.signal)).rejects.toThrow("enough");
  expect(await whileAlive(Promise.resolve(7), NEVER)).toBe(7);
});
