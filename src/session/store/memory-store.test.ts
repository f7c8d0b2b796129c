import { expect, test } from "bun:test";
import { sessionStoreContract } from "../../../test/contracts/session-store.ts";
import { ended, event, intent, newLog, texts, thrownBy } from "../../../test/support/store-rig.ts";
import { testWorld } from "../../../test/support/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { memorySessionStore } from "./memory-store.ts";

sessionStoreContract("in memory", async (world) => memorySessionStore(world.machine));

test("[SES-01 R21] the oldest events of a long log in memory are let go, and ids stay what they were", async () => {
  const world = testWorld();
  await using store = memorySessionStore(world.machine);
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  const parts = Array.from({ length: 1_000 }, (_, index) => `${index}`);
  for (let from = 1; from < 30_000; from += 1_000) {
    await writer.append({ events: texts(log.session, from, parts) }, "process");
  }
  const kept = await store.events(log.logId, 0, 100_000);
  expect(kept.length).toBeLessThanOrEqual(20_000);
  expect(kept.at(-1)?.id).toBe(30_000);
  expect((await store.events(log.logId, 29_998, 10)).map(({ id }) => id)).toEqual([29_999, 30_000]);
});

test("[REL-04 R21] what a log in memory holds beside its events grows with no number of turns, and its costs add up to the same", async () => {
  const world = testWorld();
  await using store = memorySessionStore(world.machine);
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  let last = 0;
  for (let batch = 0; batch < 60; batch++) {
    const events = Array.from({ length: 100 }, (_, at) => {
      last += 1;
      const usd = at % 50 === 0 ? null : 0.25;
      const model = at % 2 === 0 ? "one" : "two";
      const payload = { provider: "p", model, inputTokens: 3, outputTokens: 2, usd, turn: last };
      return event(log.session, last, { kind: "CostIncremented", payload });
    });
    await writer.append({ events }, "process");
  }
  const costs = await store.costs(log.logId, 0);
  expect(costs.length).toBeLessThanOrEqual(2_003);
  expect(costs.reduce((sum, { usd }) => sum + (usd ?? 0), 0)).toBe(0.25 * 98 * 60);
  expect(costs.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(3 * 6_000);
  expect(costs.filter(({ usd }) => usd === null).length).toBeGreaterThan(0); // unknown stays unknown
  expect(await store.costs(log.logId, last - 10)).toHaveLength(10);

  const calls = Array.from({ length: 12_000 }, () => ({ ...intent(world, "Act"), mutating: true }));
  await writer.append({ intents: calls, outcomes: calls.map(({ callId }) => ended(callId)) }, "process");
  const [, again] = calls.toReversed();
  if (again === undefined) throw new Error("there are calls");
  expect(String(await thrownBy(writer.append({ intents: [again] }, "process")))).toContain(
    "has no outcome yet",
  );
  expect(await store.orphans(log.logId)).toEqual([]);

  // A clock that goes back and forth: each event is of another day than the one before.
  for (let round = 0; round < 10; round++) {
    const days = Array.from({ length: 1_000 }, (_, at) => {
      last += 1;
      const [text] = texts(log.session, last, ["x"]);
      return {
        ...text,
        ts: at % 2 === 0 ? "2026-03-01T10:00:00.000Z" : "2026-03-02T10:00:00.000Z",
      } as Envelope;
    });
    await writer.append({ events: days }, "process");
  }
  await writer[Symbol.asyncDispose]();
  const expired = await store.expire(log.logId, "2026-03-02");
  expect(expired).toBeGreaterThan(1_000);
  expect(expired).toBeLessThanOrEqual(2_500); // what is merged counts as the later day, and stays
});
