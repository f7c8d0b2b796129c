import { expect, test } from "bun:test";
import type { Rig } from "../../test/support/rig.ts";
import { fakeTool, ok, openRig } from "../../test/support/rig.ts";
import { says } from "../../test/support/scripted-provider.ts";
import { HarnessError } from "../base/errors.ts";
import type { CallId } from "../base/ids.ts";
import type { Message } from "../protocol/message.ts";
import { settleOrphans } from "./settle-orphans.ts";

const FIRST = "call_01JXT21Q00440WAKYHT0DB49BA" as CallId;
const SECOND = "call_01JXT21Q00440WAKYHT0DB49BB" as CallId;
const NEVER = new AbortController().signal;

/** A session whose last run was killed in these calls, each of which may have changed something. */
async function interruptedIn(ids: readonly CallId[]): Promise<Rig> {
  const history: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "clean up" }] },
    {
      role: "assistant",
      content: ids.map((id) => ({ type: "tool_use", id, name: "Act", input: {} })),
    },
  ];
  const intent = { mutating: true, summary: "rm -rf ./build", startedAt: "2025-06-15T15:00:00Z" };
  return await openRig({
    script: [says("going on")],
    tools: [fakeTool("Act", () => ok("done"))],
    history,
    attended: true,
    lastTurn: 1,
    unfinished: {
      turn: 1,
      calls: ids.map((callId) => ({ callId, name: "Act", input: {}, mutating: true, intent })),
    },
  });
}

function results(rig: Rig): string {
  return JSON.stringify(rig.provider.requests[0]?.messages[2]);
}

test("[SES-03] a call that somebody else has answered for keeps no other one open", async () => {
  await using rig = await interruptedIn([FIRST, SECOND]);
  const other = await rig.connect("human");
  let isFirst = true;
  const connection: typeof rig.connection = {
    ...rig.connection,
    async send(command) {
      if (command.kind === "Answer" && isFirst)
        await other.send({ ...command, answer: "succeeded: it is half gone" });
      if (command.kind === "Answer") isFirst = false;
      return await rig.connection.send(command);
    },
  };
  await settleOrphans({ kind: "failed" }, { connection, session: rig.session.id }, NEVER);
  await rig.send("go on");
  expect(results(rig)).toContain("The user's note: it is half gone");
  expect(results(rig)).toContain("The user says that it failed.");
});

test("[SES-03] a note that reads like a choice stays a note", async () => {
  await using rig = await interruptedIn([FIRST]);
  const where = { connection: rig.connection, session: rig.session.id };
  await settleOrphans({ kind: "succeeded", note: "abort" }, where, NEVER);
  await rig.send("go on");
  expect(results(rig)).toContain("The user's note: abort");
});

test("[SES-03] a refusal of the answer ends the wait at once", async () => {
  await using rig = await interruptedIn([FIRST]);
  const connection: typeof rig.connection = {
    ...rig.connection,
    async send(command) {
      if (command.kind === "Answer") throw new HarnessError("Forbidden", { what: "Answer" });
      return await rig.connection.send(command);
    },
  };
  const settled = settleOrphans({ kind: "failed" }, { connection, session: rig.session.id }, NEVER);
  await expect(settled).rejects.toMatchObject({ reason: "Forbidden" });
});
