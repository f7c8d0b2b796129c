import { expect, test } from "bun:test";
import { testWorld } from "../../../test/support/world.ts";
import type { LogId } from "../../base/ids.ts";
import type { Event } from "../../protocol/events/events.ts";
import { memorySessionStore } from "../store/memory-store.ts";
import { countSpent } from "./count-spent.ts";
import { Spend } from "./spend.ts";

const world = testWorld();
const CREATED_AT = "2025-06-15T15:06:40.000Z";

test("[ENG-13 ENG-23] of the logs that came of a session's only its tasks cost with it: no branch, no plugin's say, no session that took its place", async () => {
  const [own, given] = [world.ids.next("log"), world.ids.next("log")];
  const store = memorySessionStore(world.machine);
  async function write(logId: LogId, first: Event, usd: number, of?: LogId): Promise<void> {
    const session = world.ids.next("sess");
    const branchOf = of === undefined ? {} : { branchOf: { logId: of, at: 1 } };
    const log = { logId, session, workingDir: "/", profile: "test", model: "m", createdAt: CREATED_AT };
    const holder = { pid: world.machine.pid, processStart: world.machine.processStart };
    await using writer = await store.create({ ...log, ...branchOf }, holder);
    const cost = { provider: "p", model: "m", inputTokens: 1, outputTokens: 1, usd };
    const events = [first, { kind: "CostIncremented", payload: cost } as const].map((event, at) => ({
      id: at + 1,
      session,
      ts: CREATED_AT,
      ...event,
    }));
    await writer.append({ events }, "process");
  }
  const begun = (namespace: string, kind: string, log: LogId): Event => ({
    kind: "CustomEvent",
    payload: { namespace, kind, payload: { log } },
  });
  // The session is a task itself, and a branch of it begins with what its own log begins with.
  await write(own, begun("cinch", "Delegated", given), 1, given);
  await write(world.ids.next("log"), begun("cinch", "Delegated", own), 2, own);
  await write(world.ids.next("log"), begun("cinch", "Delegated", given), 4, own);
  await write(world.ids.next("log"), begun("plugin", "Delegated", own), 8, own);
  await write(world.ids.next("log"), begun("cinch", "Other", own), 16, own);
  const switched = { from: "a", to: "b", logId: own };
  await write(world.ids.next("log"), { kind: "ProfileSwitched", payload: switched }, 32, own);
  const spend = new Spend();
  await countSpent(store, own, spend);
  expect(spend.total.usd).toBe(3);
});
