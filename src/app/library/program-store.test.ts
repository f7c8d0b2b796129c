import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { HarnessError } from "../../base/errors.ts";
import type { LogId } from "../../base/ids.ts";
import type { SessionStore, StoreFinding } from "../../session/store/store.ts";
import { programStore } from "./program-store.ts";

const MS_MAX = 10_000;
const MAINTAINED = { bytesBefore: 2, bytesAfter: 1, branchesRemoved: 0 };
const FOUND: StoreFinding = { kind: "structure", weight: "damage", text: "It is.", remedy: "Mend it." };
const nothing = new Promise<never>(() => undefined);

/** A contained store with these calls of the program, a clock, and what stops a call. */
function rigOf(calls: Partial<SessionStore>) {
  const clock = fakeClock();
  const stop = new AbortController();
  const reason = new Error("enough");
  const store = programStore(calls as SessionStore, { clock, msMax: MS_MAX });
  return { clock, store, reason, signal: stop.signal, stop: () => stop.abort(reason) };
}

test("[LIB-10 SES-06] a store may maintain longer than the limit of one call", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof MAINTAINED>();
  const { clock, store, signal } = rigOf({ maintain: () => promise });
  const maintained = store.maintain(signal);
  await clock.advance(MS_MAX * 6);
  resolve(MAINTAINED);
  expect(await maintained).toEqual(MAINTAINED);
  expect(clock.waiting).toBe(0);
});

test("[LIB-10 SES-06] a store that is stopped may end its step, and its result counts", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof MAINTAINED>();
  const { clock, store, signal, stop } = rigOf({ maintain: () => promise });
  const maintained = store.maintain(signal);
  stop();
  await clock.advance(MS_MAX - 1);
  resolve(MAINTAINED);
  expect(await maintained).toEqual(MAINTAINED);
  expect(clock.waiting).toBe(0);
});

test("[LIB-10 SES-06] a store that ignores the signal of maintain and check is abandoned the limit after it", async () => {
  const deaf = { [Symbol.asyncIterator]: () => ({ next: () => nothing }) };
  const { clock, store, reason, signal, stop } = rigOf({ maintain: () => nothing, check: () => deaf });
  const ended = Promise.all(
    [store.maintain(signal), Array.fromAsync(store.check("full", signal))].map((call) =>
      call.catch((thrown: unknown) => thrown),
    ),
  );
  stop();
  await clock.advance(MS_MAX);
  expect(await ended).toEqual([reason, reason]);
});

test("[LIB-10 SES-06] maintain waits for an earlier one that has ignored its signal", async () => {
  const { promise: released, reject: release } = Promise.withResolvers<typeof MAINTAINED>();
  const results = [released, Promise.resolve(MAINTAINED)];
  const { clock, store, reason, signal, stop } = rigOf({ maintain: () => results.shift() ?? nothing });
  const first = store.maintain(signal).catch((thrown: unknown) => thrown);
  stop();
  await clock.advance(MS_MAX);
  expect(await first).toBe(reason);
  const second = store.maintain(new AbortController().signal);
  await clock.advance(MS_MAX);
  expect(results.length).toBe(1);
  release(new Error("late"));
  expect(await second).toEqual(MAINTAINED);
});

test("[LIB-10 ENG-11] a call about a log ends a second after the time of its turn, before its own limit", async () => {
  const clock = fakeClock();
  const turn = new AbortController();
  const log = "log_a" as LogId;
  const calls = { messages: () => nothing, list: () => nothing } as Partial<SessionStore>;
  const store = programStore(calls as SessionStore, {
    ...{ clock, msMax: MS_MAX },
    turnTime: (logId) => (logId === log ? turn.signal : undefined),
  });
  const ends: string[] = [];
  const asked = [store.messages(log), store.messages("log_b" as LogId), store.list({ limit: 1 })];
  const all = asked.map((call, at) =>
    call.catch((thrown: HarnessError) => void ends.push(`${at} ${thrown.fields["detail"]}`)),
  );
  turn.abort(new Error("the time is over"));
  await clock.advance(999);
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends).toEqual(["0 the time is over"]);
  await clock.advance(MS_MAX);
  await Promise.all(all);
  expect(ends.length).toBe(3);
  expect(clock.waiting).toBe(0);
});

test("[LIB-10 SES-16] an answer of another form is a StoreFailed, also inside a list", async () => {
  const { store } = rigOf({
    events: () => Promise.resolve([5 as never]),
    lastDay: () => Promise.resolve("tomorrow"),
    expire: () => Promise.resolve("all" as never),
    create: () => Promise.resolve({ append: () => nothing, lastEvent: 0 } as never),
  });
  const log = "log_a" as LogId;
  const asked = [
    store.events(log, 0, 1),
    store.lastDay("2026-01-01"),
    store.expire(log, "2026-01-01"),
    store.create({} as never, {} as never),
  ];
  const reasons = await Promise.all(asked.map((call) => call.catch((thrown: HarnessError) => thrown.reason)));
  expect(reasons).toEqual(asked.map(() => "StoreFailed"));
});

test("[LIB-10 SES-06] maintain and check that are stopped throw the reason of the signal as it is", async () => {
  const { store, reason, signal, stop } = rigOf({
    maintain: async (given) => given.throwIfAborted() as never,
    async *check(_depth, given) {
      given.throwIfAborted();
      yield FOUND;
    },
  });
  stop();
  await expect(store.maintain(signal)).rejects.toBe(reason);
  await expect(Array.fromAsync(store.check("full", signal))).rejects.toBe(reason);
});

test("[LIB-10 SES-16] what maintain throws is a StoreFailed that names it", async () => {
  const { store, signal } = rigOf({ maintain: () => Promise.reject(new Error("boom")) });
  await expect(store.maintain(signal)).rejects.toMatchObject({
    reason: "StoreFailed",
    fields: { call: "maintain", detail: "boom" },
  });
});

const CHECKS: Readonly<Record<string, [SessionStore["check"], readonly StoreFinding[]]>> = {
  "throws at once": [
    () => {
      throw new Error("boom");
    },
    [],
  ],
  "throws after a finding": [
    async function* () {
      yield FOUND;
      throw new Error("boom");
    },
    [FOUND],
  ],
  "returns no stream": [() => 5 as never, []],
  "finds nonsense": [
    async function* () {
      yield FOUND;
      yield { ...FOUND, text: 5 } as never;
    },
    [FOUND],
  ],
};

for (const [name, [check, found]] of Object.entries(CHECKS))
  test(`[LIB-10 SES-16] a check that ${name} is a StoreFailed after what it found`, async () => {
    const { store, signal } = rigOf({ check });
    const seen: StoreFinding[] = [];
    const read = async () => {
      for await (const finding of store.check("quick", signal)) seen.push(finding);
    };
    await expect(read()).rejects.toMatchObject({ reason: "StoreFailed", fields: { call: "check" } });
    expect(seen).toEqual([...found]);
  });

test("[LIB-10 SES-16] leaving a check ends it", async () => {
  let isOver = false;
  const { clock, store, signal } = rigOf({
    async *check() {
      try {
        yield FOUND;
        yield FOUND;
      } finally {
        isOver = true;
      }
    },
  });
  for await (const finding of store.check("full", signal)) {
    expect(finding).toEqual(FOUND);
    break;
  }
  expect([isOver, clock.waiting]).toEqual([true, 0]);
});
