import { expect, test } from "bun:test";
import { hostClock } from "./clock.ts";

/** The runtime fires a timer above 2^31 - 1 ms after one millisecond. */
const TOO_LONG_MS = 2 ** 31;

test("[ENG-29] a time limit of 30 days does not end at once", async () => {
  let fired = false;
  using _limit = hostClock.timer(30 * 86_400_000, () => {
    fired = true;
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  using _end = hostClock.timer(20, resolve);
  await promise;
  expect(fired).toBe(false);
});

test("[ENG-29] a sleep that is longer than the runtime's timers lasts until its signal", async () => {
  const leave = new AbortController();
  const sleeping = hostClock.sleep(TOO_LONG_MS, leave.signal).then(
    () => "ended",
    (reason: unknown) => reason,
  );
  using _left = hostClock.timer(20, () => leave.abort("left"));
  expect(await sleeping).toBe("left");
});

test("[ENG-29] a timer that was disposed does not fire", async () => {
  let fired = false;
  const timer = hostClock.timer(1, () => {
    fired = true;
  });
  timer[Symbol.dispose]();
  timer[Symbol.dispose]();
  const { promise, resolve } = Promise.withResolvers<void>();
  using _end = hostClock.timer(20, resolve);
  await promise;
  expect(fired).toBe(false);
});
