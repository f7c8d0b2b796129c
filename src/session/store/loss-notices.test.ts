import { expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../test/support/place.ts";
import { openEngine } from "../../app/harness.ts";
import type { IdentityClass } from "../../protocol/connection.ts";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";

const { signal } = new AbortController();

test("[SES-18 ENG-24] sessions of nobody and of an agent leave what the store has lost for the next person's", async () => {
  await using place = openPlace(says("one"), says("two"));
  const store = join(place.root, "data/sessions.db");
  const run = async () => {
    await using harness = await place.open();
    await turn(harness, "go");
  };
  await run();
  copyFileSync(store, `${store}.before`);
  await run();
  copyFileSync(`${store}.before`, store); // set back: the second log is missing
  for (const beside of ["-wal", "-shm"]) rmSync(`${store}${beside}`, { force: true });
  await using engine = await openEngine(place.options({ wishes: { attended: true } }), signal);
  await engine.openUnattended({ kind: "CreateSession" });
  const noticesOf = async (identityClass: IdentityClass) => {
    const connection = await engine.attach({ identityClass, label: identityClass });
    await connection.handshake(PROTOCOL_VERSION);
    const { result } = await connection.send({ kind: "CreateSession" });
    return JSON.stringify(result ?? {});
  };
  const lost = "is missing from the session store";
  expect(await noticesOf("agent")).not.toContain(lost);
  expect(await noticesOf("human")).toContain(lost);
  expect(await noticesOf("human")).not.toContain(lost); // once is enough
});
