import { expect, test } from "bun:test";
import { testWorld } from "../../../../test/support/world.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { resumedSession } from "./line-session.ts";

test("[SES-07 CLI-01] a session of a running engine is found by the beginning of its id, and no other one in its place", async () => {
  const { ids } = testWorld();
  const info = (): SessionInfo => ({
    ...({ turns: 1, live: false } as SessionInfo),
    session: ids.next("sess"),
    log: ids.next("log"),
  });
  const all = [info()];
  const sessions = { list: async () => all, get: () => Promise.reject(new Error("nobody asks for one")) };
  const [only] = all;
  const find = (id: string) => resumedSession(sessions, { kind: "id", id }, "");
  expect((await find((only?.session ?? "").slice(0, -1))).session).toBe(only?.session ?? ("" as never));
  await expect(find("sess_ZZZZ")).rejects.toMatchObject({ reason: "NoSuchSession" });
});
