import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { abandonable } from "./abandon.ts";

const GRACE_MS = 2_000;

/** A stream of these values that then neither ends nor looks at any signal. */
function deaf(values: readonly number[]) {
  const rest = [...values];
  const calls = { returned: 0 };
  const stream: AsyncIterable<number> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        const value = rest.shift();
        return value === undefined ? new Promise(() => undefined) : Promise.resolve({ done: false, value });
      },
      return() {
        calls.returned += 1;
        return new Promise(() => undefined);
      },
    }),
  };
  return { stream, calls };
}

test("[ENG-09] a stream that ignores its signal is abandoned a grace period after the abort, and asked to stop", async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const { stream, calls } = deaf([1, 2]);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const value of abandonable(stream, { clock, signal: stop.signal, ms: GRACE_MS }))
      seen.push(value);
  })().catch((thrown: unknown) => thrown);
  await clock.advance(60_000);
  const reason = new Error("enough");
  stop.abort(reason);
  await clock.advance(GRACE_MS - 1);
  expect([seen, calls.returned, clock.waiting]).toEqual([[1, 2], 0, 1]);
  await clock.advance(1);
  expect(await reading).toBe(reason);
  expect([calls.returned, clock.waiting]).toEqual([1, 0]);
});

test("[ENG-09] leaving a stream waits for it no longer than the grace period", async () => {
  const clock = fakeClock();
  const { signal } = new AbortController();
  const { stream, calls } = deaf([1, 2]);
  const reading = (async () => {
    for await (const value of abandonable(stream, { clock, signal, ms: GRACE_MS })) return value;
    return undefined;
  })();
  await clock.advance(GRACE_MS);
  expect([await reading, calls.returned, clock.waiting]).toEqual([1, 1, 0]);
});

test("[ENG-09] what a stream still gives within the grace period is read, and its own end and error count", async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  async function* polite() {
    yield 1;
    stop.abort(new Error("enough"));
    yield 2;
    throw new Error("closed");
  }
  const seen: number[] = [];
  const read = async () => {
    for await (const value of abandonable(polite(), { clock, signal: stop.signal, ms: GRACE_MS }))
      seen.push(value);
  };
  await expect(read()).rejects.toThrow("closed");
  expect([seen, clock.waiting]).toEqual([[1, 2], 0]);
});

test("[ENG-09] a stream that throws, even without a promise, leaves no timer for a later abort", async () => {
  const steps: readonly (() => Promise<IteratorResult<number>>)[] = [
    () => {
      throw new Error("broken");
    },
    () => Promise.reject(new Error("broken")),
    () => undefined as never,
  ];
  for (const next of steps) {
    const clock = fakeClock();
    const stop = new AbortController();
    const stream = { [Symbol.asyncIterator]: () => ({ next }) };
    const read = async () => {
      for await (const _ of abandonable(stream, { clock, signal: stop.signal, ms: GRACE_MS })) break;
    };
    await expect(read()).rejects.toThrow(/broken|undefined/);
    stop.abort();
    expect(clock.waiting).toBe(0);
  }
});
