import { expect, test } from "bun:test";
import { sessionStoreContract } from "../../test/contracts/session-store.ts";
import { newLog, texts } from "../../test/support/store-rig.ts";
import { testWorld } from "../../test/support/world.ts";
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
