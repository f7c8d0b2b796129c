import { expect, test } from "bun:test";
import { INFO } from "../../../test/support/transcript-rig.ts";
import { sessionRow, sessionStatusOf } from "./overview.ts";

test("[SES-07] a session is running, interrupted or paused", () => {
  const heldBy = { pid: 7, processStart: "x" };
  expect([
    sessionStatusOf({ heldBy, interrupted: true }),
    sessionStatusOf({ interrupted: true }),
    sessionStatusOf({ interrupted: false }),
  ]).toEqual(["running", "interrupted", "paused"]);
});

test("[SES-07] a row for programs names what a script needs", () => {
  expect(
    sessionRow({ ...INFO, heldBy: { pid: 7, processStart: "x" }, branchOf: { logId: INFO.logId, at: 3 } }),
  ).toEqual({
    session: INFO.session,
    log: INFO.logId,
    status: "running",
    pid: 7,
    title: "fix it",
    profile: "default",
    model: "mock:one",
    turns: 1,
    events: 0,
    created_at: INFO.createdAt,
    updated_at: INFO.updatedAt,
    working_dir: "/home/someone/project",
    pinned: false,
    branch_of: { log: INFO.logId, event: 3 },
  });
});
