import { expect, test } from "bun:test";
import type { AgentContext } from "@agentclientprotocol/sdk/unstable";
import { settle } from "../../../../test/support/fake-clock.ts";
import { FakeConnection, fakeId, SESSION } from "../../../../test/support/fake-connection.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import { NO_ABILITIES } from "../abilities.ts";
import { AcpSession } from "./session.ts";

const INFO: SessionInfo = {
  ...{ session: SESSION, log: fakeId("log", 1), title: "", profile: "default", model: "m:one" },
  ...{ status: "running", live: true, turns: 0, events: 0, working_dir: "/", pinned: false },
  ...{ created_at: "2026-03-01T10:00:00.000Z", updated_at: "2026-03-01T10:00:00.000Z" },
};

test("[CTL-14 CTL-16] an editor's question that a gap may have closed is taken back when the next turn starts", async () => {
  const connection = new FakeConnection();
  const taken: AbortSignal[] = [];
  const client = {
    notify: () => Promise.resolve(),
    request: (_: string, __: unknown, options: { readonly cancellationSignal: AbortSignal }) => {
      taken.push(options.cancellationSignal);
      return new Promise(() => undefined);
    },
  };
  const session = new AcpSession({
    ...{ connection, session: SESSION, name: "one", log: SILENT_LOG, abilities: NO_ABILITIES },
    info: INFO,
    client: client as unknown as AgentContext,
    commands: () => Promise.resolve([]),
  });
  session.begin(0);
  const request = { tool: "Bash", args: {}, originator: fakeId("cli", 1), summary: "npm test" };
  connection.publish({ kind: "TurnStarted", payload: { turn: 1, originator: fakeId("cli", 1) } });
  connection.publish({ kind: "PermissionRequested", payload: { ...request, callId: fakeId("call", 1) } });
  await settle();
  expect(taken.map(({ aborted }) => aborted)).toEqual([false]);
  connection.publish({ kind: "StreamGap", payload: { from: 3, to: 3, reason: "ttl" } });
  await settle();
  expect(taken.map(({ aborted }) => aborted)).toEqual([false]);
  connection.publish({ kind: "TurnStarted", payload: { turn: 2, originator: fakeId("cli", 1) } });
  await settle();
  expect(taken.map(({ aborted }) => aborted)).toEqual([true]);
  session.close();
});
