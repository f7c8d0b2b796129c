import { expect, test } from "bun:test";
import { testWorld } from "../../../../test/support/world.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import { redactor } from "../../../safety/redact.ts";
import { PERMISSION_TIMEOUT_MS } from "../../../session/questions.ts";
import { memorySessionStore } from "../../../session/store/memory-store.ts";
import { SessionCore } from "./session-core.ts";

test("[ENG-24] an input of the session itself waits until there is a session, and is queued there", async () => {
  const world = testWorld();
  await using store = memorySessionStore(world.machine);
  const [session, logId] = [world.ids.next("sess"), world.ids.next("log")];
  const log = {
    logId,
    session,
    workingDir: "/",
    profile: "p",
    model: "m",
    createdAt: "2026-01-01T00:00:00Z",
  };
  const { pid, processStart } = world.machine;
  await using writer = await store.create(log, { pid, processStart });
  const core = new SessionCore({
    ...{ world, session, logId, store, writer },
    redactor: redactor([]),
    attended: false,
    permissionTimeoutMs: PERMISSION_TIMEOUT_MS,
  });
  const taken: Command[] = [];
  const sending = core.send([{ type: "text", text: "go on" }]);
  core.serve({
    id: session,
    touch: () => undefined,
    send: async (command) => {
      taken.push(command);
      return {};
    },
  });
  await sending;
  expect(taken).toEqual([
    { kind: "SendInput", sessionId: session, content: [{ type: "text", text: "go on" }], delivery: "queue" },
  ]);
});
