import { expect, test } from "bun:test";
import type { CallId, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import { OpenShellRuns } from "./open-shell-runs.ts";

const SESSION = "sess_00000000000000000000000000" as SessionId;
const BEFORE = "sess_00000000000000000000000001" as SessionId;

function callId(at: number): CallId {
  return `call_0000000000000000000000000${at}` as CallId;
}

function started(id: number, at: number, session = SESSION, shell = true): Envelope {
  const by = shell ? ({ by: "user", shell: true, toModel: at === 1 } as const) : {};
  const payload = { callId: callId(at), tool: "Bash", args: { command: `run ${at}` }, mutating: true, ...by };
  return { id, session, ts: "2026-01-01T00:00:00Z", kind: "ToolCallStarted", payload };
}

function ended(id: number, at: number): Envelope {
  const payload = { callId: callId(at), content: [], by: "user" as const, shell: true as const };
  return { id, session: SESSION, ts: "2026-01-01T00:00:00Z", kind: "ToolResult", payload };
}

test("[CTL-19 SES-03] the commands that a killed run left open are found from its end back, without those of its model", () => {
  const runs = new OpenShellRuns();
  const log = [
    started(1, 0, BEFORE),
    started(2, 1),
    started(3, 2),
    ended(4, 2),
    started(5, 3),
    started(6, 4, SESSION, false),
  ];
  for (const event of log.toReversed()) runs.add(event);
  expect(runs.open).toEqual([
    { callId: callId(1), command: "run 1", toModel: true },
    { callId: callId(3), command: "run 3", toModel: false },
  ]);
  expect(runs.done).toBe(true); // at the earlier run, which was settled
});

test("[CTL-19] a log that ended well is read no further than its last event", () => {
  const runs = new OpenShellRuns();
  const payload = { reason: "user" } as const;
  runs.add({ id: 9, session: SESSION, ts: "2026-01-01T00:00:00Z", kind: "SessionEnded", payload });
  expect([runs.done, runs.open]).toEqual([true, []]);
});
