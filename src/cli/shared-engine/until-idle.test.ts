import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { FIRST_CLIENT_MS_MAX, LINGER_MS, untilIdle } from "./until-idle.ts";

function openWatch() {
  const clock = fakeClock();
  const state = { open: 0, count: 0, busy: false, isForsaken: false };
  let looks = 0;
  let isOver = false;
  const stop = new AbortController();
  const over = untilIdle(
    {
      clock,
      open: () => state.open,
      count() {
        looks += 1;
        return state.count;
      },
      busy: () => state.busy,
      isForsaken: () => state.isForsaken,
    },
    stop.signal,
  );
  void over.then(() => {
    isOver = true;
  });
  return {
    clock,
    state,
    stop,
    over,
    get isOver() {
      return isOver;
    },
    /** Calls of `count`, of which each look makes two. */
    get looks() {
      return looks;
    },
  };
}

test("[REL-04 CTL-18] an engine with a client looks every four seconds whether it has left, and ends when it has", async () => {
  const watch = openWatch();
  watch.state.open = 1;
  await watch.clock.advance(5_000);
  const before = watch.looks;
  await watch.clock.advance(60_000);
  expect((watch.looks - before) / 2).toBeLessThanOrEqual(16);
  expect(watch.isOver).toBe(false);
  watch.state.open = 0;
  await watch.clock.advance(LINGER_MS - 2_000);
  expect(watch.isOver).toBe(false);
  await watch.clock.advance(6_000);
  expect(watch.isOver).toBe(true);
  expect(watch.clock.waiting).toBe(0);
});

test("[CTL-18] a request that came and went, and work that needs no client, keep an engine", async () => {
  const watch = openWatch();
  watch.state.count = 1;
  await watch.clock.advance(LINGER_MS);
  expect(watch.isOver).toBe(false);
  watch.state.busy = true;
  await watch.clock.advance(60_000);
  expect(watch.isOver).toBe(false);
  watch.state.busy = false;
  await watch.clock.advance(LINGER_MS + 1_000);
  expect(watch.isOver).toBe(true);
});

test("[CTL-18 LIFE-02] an engine to which no client comes ends after a minute, and at once by a signal", async () => {
  const lonely = openWatch();
  await lonely.clock.advance(FIRST_CLIENT_MS_MAX - 1_000);
  expect(lonely.isOver).toBe(false);
  await lonely.clock.advance(1_000);
  expect(lonely.isOver).toBe(true);
  const stopped = openWatch();
  stopped.stop.abort();
  await stopped.over;
  expect(stopped.clock.waiting).toBe(0);
});

test("[CTL-18 LIFE-02] an engine whose starter has gone ends at once, unless another client has come", async () => {
  const nobody = openWatch();
  nobody.state.isForsaken = true;
  await nobody.clock.advance(1_000);
  await nobody.over;
  const used = openWatch();
  used.state.open = 1;
  await used.clock.advance(1_000);
  used.state.isForsaken = true;
  await used.clock.advance(FIRST_CLIENT_MS_MAX);
  expect(used.isOver).toBe(false);
  used.stop.abort();
  await used.over;
});
