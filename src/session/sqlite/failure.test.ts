import { expect, test } from "bun:test";
import { join } from "node:path";
import { event, LOG_KEY, newLog, thrownBy } from "../../../test/support/store-rig.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { openSqliteStore } from "./open.ts";

test("[SES-16 R14] a write that breaks a constraint is a bug, not damage: nothing says to give the store up", async () => {
  await using directory = temporaryDirectory();
  const world = testWorld();
  const path = join(directory.path, "sessions.db");
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  const cost = (id: number, inputTokens: number) => {
    const payload = { provider: "p", model: "m", inputTokens, outputTokens: 1, usd: null };
    return { events: [event(log.session, id, { kind: "CostIncremented", payload })] };
  };
  await writer.append(cost(1, 2), "process");
  expect(await thrownBy(writer.append(cost(2, 12.5), "process"))).toMatchObject({
    reason: "InternalError",
    message: expect.stringContaining(`the session store ${path} refused a write, and is as it was before: `),
  });
  await writer.append(cost(2, 13), "process");
  expect(await store.costs(log.logId, 0)).toMatchObject([{ inputTokens: 2 }, { inputTokens: 13 }]);
});
