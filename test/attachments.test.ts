import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../src/base/log.ts";
import { hostWorld } from "../src/platform/host.ts";
import { connect, openPlace } from "./support/place.ts";

test("[CTL-19 SES-06] a session ends once its uploads are stored, so that deleting it leaves none of them", async () => {
  await using place = openPlace();
  const world = hostWorld(SILENT_LOG);
  const [writing, mayWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const files = {
    ...world.files,
    async writeAtomic(...args: Parameters<typeof world.files.writeAtomic>) {
      if (args[0].includes("att_")) {
        writing.resolve();
        await mayWrite.promise;
      }
      await world.files.writeAtomic(...args);
    },
  };
  await using harness = await place.open({ world: { ...world, files } });
  const connection = await connect(harness);
  const { session: sessionId } = harness;
  const file = { name: "a", bytes: new TextEncoder().encode("words") };
  const stored = connection.attach?.(sessionId, file);
  await writing.promise;
  let hasEnded = false;
  const ended = connection.send({ kind: "EndSession", sessionId }).then(() => {
    hasEnded = true;
  });
  await expect(connection.attach?.(sessionId, file)).rejects.toMatchObject({ reason: "SessionEnding" });
  await expect(connection.send({ kind: "DeleteSession", sessionId })).rejects.toThrow();
  expect(hasEnded).toBe(false);
  mayWrite.resolve();
  expect(await stored).toMatchObject({ name: "a" });
  await ended;
  const kept = join(place.root, "data", "attachments");
  expect(readdirSync(kept)).toHaveLength(1);
  await connection.send({ kind: "DeleteSession", sessionId });
  expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([]);
});
